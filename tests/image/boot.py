#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Starts a rescue stick or CD in an emulated machine, as far as the deck on the serial line, and
there copies one disk to another. Under emulation that takes minutes. From the network, the kernel
and the initrd of the ISO are sent by TFTP to the iPXE of the network card.

usage: boot.py bios|uefi|secure stick|cd|net IMAGE [--memory MIB] [--copy] [--keys]
               [--screen FILE.png]
"""
import argparse
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

OVMF = "/usr/share/OVMF/OVMF_"


class Machine:
    """A machine with two more disks, its serial line and its monitor."""

    def __init__(self, options, folder):
        self.start = time.monotonic()
        self.seen = ""
        self.folder = folder
        command = ["qemu-system-x86_64", "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2",
                   "-m", str(options.memory), "-nodefaults", "-display", "none", "-vga", "std",
                   "-serial", f"unix:{folder}/serial,server=on,wait=off",
                   "-monitor", f"unix:{folder}/monitor,server=on,wait=off",
                   "-device", "qemu-xhci", "-device", "usb-kbd"]
        command += self.firmware(options.firmware)
        command += self.medium(options.medium, options.image)
        for name, device in (("source", "nvme"), ("destination", "ide-hd,bus=ide.1")):
            with open(f"{folder}/{name}", "wb") as disk:
                if name == "source":
                    disk.write(os.urandom(32 << 20))
                disk.truncate(32 << 20)
            command += ["-drive", f"if=none,id={name},format=raw,file={folder}/{name}",
                        "-device", f"{device},drive={name},serial=TEST-{name[:3].upper()}"]
        self.process = subprocess.Popen(command)
        self.serial = self.connect("serial")
        self.monitor = self.connect("monitor")

    def firmware(self, kind):
        if kind == "bios":
            return ["-machine", "q35"]
        secure = kind == "secure"
        variables = f"{self.folder}/variables"
        shutil.copy(f"{OVMF}VARS_4M{'.ms' if secure else ''}.fd", variables)
        code = f"{OVMF}CODE_4M{'.secboot' if secure else ''}.fd"
        return ["-machine", "q35,smm=on", "-global", "driver=cfi.pflash01,property=secure,value=on",
                "-global", "ICH9-LPC.disable_s3=1",
                "-drive", f"if=pflash,format=raw,unit=0,readonly=on,file={code}",
                "-drive", f"if=pflash,format=raw,unit=1,file={variables}"]

    def medium(self, kind, image):
        if kind == "cd":
            return ["-drive", f"if=none,id=medium,format=raw,readonly=on,file={image}",
                    "-device", "ide-cd,bus=ide.0,drive=medium,bootindex=0"]
        if kind == "net":
            os.mkdir(f"{self.folder}/tftp")
            subprocess.run(["xorriso", "-osirrox", "on", "-indev", image, "-extract", "/boot",
                            f"{self.folder}/tftp"], check=True, capture_output=True)
            with open(f"{self.folder}/tftp/script", "w", encoding="ascii") as script:
                script.write("#!ipxe\n"
                             "kernel vmlinuz initrd=initrd console=ttyS0,115200 console=tty0\n"
                             "initrd initrd\n"
                             "boot\n")
            return ["-netdev", f"user,id=net,tftp={self.folder}/tftp,bootfile=script",
                    "-device", "virtio-net-pci,netdev=net,bootindex=0"]
        # What is written to the stick stays in a copy.
        shutil.copy(image, f"{self.folder}/stick")
        return ["-drive", f"if=none,id=medium,format=raw,file={self.folder}/stick",
                "-device", "usb-storage,drive=medium,serial=STICK-0001,removable=on,bootindex=0"]

    def connect(self, name):
        for _ in range(100):
            try:
                line = socket.socket(socket.AF_UNIX)
                line.connect(f"{self.folder}/{name}")
                return line
            except OSError:
                time.sleep(0.1)
        sys.exit("the machine did not start")

    def note(self, what):
        print(f"{time.monotonic() - self.start:6.1f} s  {what}", flush=True)

    def see(self, pattern, limit=600):
        """Waits until the serial line has said this since it was last asked."""
        end = time.monotonic() + limit
        self.serial.settimeout(1)
        while not re.search(pattern, self.seen):
            if time.monotonic() > end or self.process.poll() is not None:
                print(self.seen[-3000:])
                sys.exit(f"never seen: {pattern}")
            try:
                text = self.serial.recv(65536).decode(errors="replace")
                self.seen += re.sub(r"\x1b(\[[0-9;?]*[a-zA-Z]|[()].|[=>78])", "", text)
            except TimeoutError:
                pass
        self.note(pattern)
        self.seen = ""

    def type(self, text):
        for character in text:
            self.serial.sendall(character.encode())
            time.sleep(0.05)

    def command(self, text):
        self.monitor.sendall(text.encode() + b"\n")
        time.sleep(1)

    def end(self):
        self.process.kill()
        self.process.wait()


def shell(machine):
    """Out of the deck."""
    machine.type("q")
    machine.see(r"p  power off")
    machine.type("s")
    machine.see(r"# $")


def copy(machine, stick, logs):
    """Both ends are compared from outside; the stick is refused, and keeps the logs."""
    machine.type("clonedeck clone -s serial=TEST-SOU -d serial=TEST-DES "
                 "--confirm ST-DES; echo status=$?\r")
    machine.see(r"status=0", 600)
    with open(f"{machine.folder}/source", "rb") as one, \
            open(f"{machine.folder}/destination", "rb") as other:
        if one.read() != other.read():
            sys.exit("the copy differs")
    machine.note("compared from outside")
    if stick:
        machine.type("clonedeck clone -s serial=TEST-SOU -d serial=STICK-0001 "
                     "--dry-run; echo status=$?\r")
        machine.see(r"this rescue stick[^$]*status=3")
    if logs:
        machine.type("ls /var/log/clonedeck; grep clonedeck /proc/mounts\r")
        machine.see(r"\.json[^$]*/var/log/clonedeck vfat rw,sync")


def keys(machine):
    """Ctrl-Alt-Del and the power button, pressed in a copy, ask; the copy goes on to its end."""
    machine.type("clonedeck clone -s serial=TEST-SOU -d serial=TEST-DES --confirm ST-DES --rate 1M "
                 ">/tmp/out 2>&1 & copy=$!\r")
    machine.type("until ls /run/clonedeck/*.job; do sleep 1; done; echo running=$?\r")
    machine.see(r"running=0", 60)
    for press in ("sendkey ctrl-alt-delete", "system_powerdown"):
        machine.type("chvt 1; cat /sys/class/tty/tty0/active\r")
        machine.see(r"tty1")
        machine.command(press)
        machine.type("cat /sys/class/tty/tty0/active\r")
        machine.see(r"tty4", 20)
        machine.command("sendkey r")
        machine.type("sleep 2; grep -o 'A copy is running' /dev/vcs4 | head -n 1\r")
        machine.see(r"'[^']*\nA copy is running", 20)
        machine.command("sendkey ret")
    machine.command("sendkey k")
    for key in ("d", "e", "ret", "z", "ret"):
        machine.command(f"sendkey {key}")
    machine.type("sleep 2; grep -o 'Enter): y' /dev/vcs4\r")
    machine.see(r"Enter\): y\r", 20)
    machine.type("wait $copy; echo status=$?\r")
    machine.see(r"status=0", 300)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("firmware", choices=("bios", "uefi", "secure"))
    parser.add_argument("medium", choices=("stick", "cd", "net"))
    parser.add_argument("image")
    parser.add_argument("--memory", type=int, default=512)
    parser.add_argument("--copy", action="store_true")
    parser.add_argument("--keys", action="store_true")
    parser.add_argument("--screen")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="clonedeck-image.") as folder:
        machine = Machine(options, folder)
        try:
            machine.see("TEST-SOU")
            if options.screen:
                machine.command(f"screendump {os.path.abspath(options.screen)} -f png")
            if options.copy or options.keys:
                shell(machine)
            if options.copy:
                stick = options.medium == "stick"
                copy(machine, stick, stick and options.image.endswith(".img"))
            if options.keys:
                keys(machine)
        finally:
            machine.end()


if __name__ == "__main__":
    main()
