// A bot: it plays one match on a golfnet server, and sends only what it is allowed to.
// go run bot.go [HOST [PORT [NAME [RULES]]]]   (standard library only)
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"math/rand"
	"net"
	"os"
	"strings"
	"time"
)

type message struct {
	Type, Phase, Event, Message, Key string
	ID                               int
	Actions, Targets                 []string
	Totals                           []int
}

func main() {
	args := append(os.Args[1:], []string{"127.0.0.1", "7777", "go-bot", "four-turn"}[len(os.Args)-1:]...)
	server, err := net.Dial("tcp", net.JoinHostPort(args[0], args[1]))
	if err != nil {
		log.Fatal(err)
	}
	send := func(line string) { fmt.Fprintln(server, line) }
	play := func(prompt message) {
		if strings.Contains(" "+strings.Join(prompt.Actions, " ")+" ", " ready ") {
			send("ready")
		} else if !strings.Contains("open between finished", prompt.Phase) && len(prompt.Actions) > 0 {
			action := prompt.Actions[rand.Intn(len(prompt.Actions))]
			rand.Shuffle(len(prompt.Targets), func(i, j int) {
				prompt.Targets[i], prompt.Targets[j] = prompt.Targets[j], prompt.Targets[i]
			})
			count := map[string]int{"switch": 2, "slam": 1}[action] // arguments of these two: positions
			send(strings.Join(append([]string{"3", action}, prompt.Targets[:count]...), " "))
		}
	}
	var prompt message
	send("hello 1 client=go-bot")
	for lines := bufio.NewScanner(server); lines.Scan(); {
		var m message
		if json.Unmarshal(lines.Bytes(), &m) != nil {
			continue // text before the first object
		}
		switch {
		case m.Type == "welcome":
			send("1 name " + args[2])
			send("2 seek " + args[3] + " seats=2 fill=5") // the server's own bots take free seats after five seconds
		case m.Type == "prompt":
			prompt = m
			play(prompt)
		case m.Type == "error" && m.ID == 3:
			time.Sleep(100 * time.Millisecond) // too fast or too late; the last prompt is still valid
			play(prompt)
		case m.Type == "error" && m.ID != 0:
			log.Fatalf("%s: %s", args[2], m.Message)
		case m.Type == "ping":
			send("pong " + m.Key)
		case m.Event == "match_ended":
			fmt.Println("totals", strings.Trim(fmt.Sprint(m.Totals), "[]"))
			send("quit")
			return
		}
	}
}
