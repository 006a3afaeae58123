#!/bin/sh
# Build this source and install it for a service: into a folder of its own, to which the link /opt/golfnet then points.
# A running server keeps the files of its version, so an upgrade is this and a restart. Everything downloaded is checked
# by the hashes in the lock files. Argument: the folder to install in, /opt by default.
set -eu
umask 022  # the service runs as another user
prefix=$(realpath -m "${1:-/opt}")  # its parents are created if necessary
cd "$(dirname "$0")/.."

python=${PYTHON:-python3}
link=$prefix/golfnet
version=$(sed -n 's/^__version__ = "\(.*\)"$/\1/p' golfnet/__init__.py)
folder=golfnet-$version-$(date +%Y%m%d-%H%M%S)

if [ -e "$link" ] && [ ! -L "$link" ]; then
    echo "$link is not a link: an older installation? Move it away first, for example to $link-before." >&2
    exit 1
fi
case $(readlink -f "$(command -v "$python")") in /home/* | /root/*)
    echo "$python is in somebody's home, which the service cannot read: PYTHON=/usr/bin/python3 deploy/install.sh" >&2
    exit 1
esac
build=$(mktemp -d)
unfinished=$prefix/$folder
trap 'rm -rf "$build" ${unfinished:+"$unfinished"}' EXIT
trap 'exit 1' HUP INT TERM

"$python" -m venv "$build/tools"
"$build/tools/bin/pip" install -qq --no-deps --require-hashes -r deploy/container/build.lock
"$build/tools/bin/pip" wheel -qq --no-deps --no-build-isolation --wheel-dir "$build" .
"$python" -m venv "$prefix/$folder"
"$prefix/$folder/bin/pip" install -qq --no-deps --require-hashes -r deploy/container/requirements.lock
"$prefix/$folder/bin/pip" install -qq --no-deps --no-index "$build"/*.whl
"$prefix/$folder/bin/golfnet" --version
"$prefix/$folder/bin/golfnet" man --into "$prefix/$folder/share/man/man1"

# The new link takes the place of the old one in one step: a restart finds one or the other.
ln -s "$folder" "$link.new"
mv -T "$link.new" "$link"
unfinished=
echo "$link leads to $folder"
