"""``python -m golfnet_client``."""

import sys

from golfnet_client.app import main

sys.exit(main())
