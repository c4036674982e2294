"""Works a talk key of partyline with a foot switch, or another button that Linux has as an input device.

foot-switch.py DEVICE CODE KEY     for example /dev/input/by-id/usb-PCsensor_FootSwitch-event-kbd 48 stage

`evtest` (Debian's package of that name) lists the devices, and the code of a button that you press. This needs Debian's
python3 alone, and the right to read the device: `sudo adduser $USER input`, then log in anew.
"""
import fcntl
import struct
import subprocess
import sys

EVENT = struct.Struct("llHHi")  # Linux's input_event: seconds, microseconds, type, code, value
EV_KEY, EVIOCGRAB = 1, 0x40044590
ORDERS = {1: "press", 0: "release"}  # 2 repeats while the button is down


def talk(order):
    subprocess.run(["partyline", "talk", order, "--key", sys.argv[3]])


with open(sys.argv[1], "rb", buffering=0) as device:
    fcntl.ioctl(device, EVIOCGRAB, 1)  # no window gets the letter of the button
    try:
        while event := device.read(EVENT.size):
            _, _, kind, code, value = EVENT.unpack(event)
            if (kind, code) == (EV_KEY, int(sys.argv[2])) and value in ORDERS:
                talk(ORDERS[value])
    finally:
        talk("release")  # the switch was pulled out, or Ctrl-C
