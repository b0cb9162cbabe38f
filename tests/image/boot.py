#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Starts a rescue stick or CD in an emulated machine, as far as the deck on the serial line, and
there copies one disk to another. Under emulation that takes minutes. From the network, what is in boot/
of the ISO is sent: by HTTP to the iPXE of the network card, by TFTP to that of a BIOS or to UEFI's shim.

usage: boot.py bios|uefi|secure stick|cd|tftp|http IMAGE [--memory MIB] [--copy] [--keys] [--menu]
               [--screen FILE.png] [--says PATTERN]
           --says: waits for this instead of the deck, as for "Too little memory" with --memory 128
       boot.py bios kernel IMAGE.iso --damaged
           without a loader, with a byte of the initrd flipped: no deck may start
       boot.py bios kernel IMAGE.iso --beside TIMES
           measures instead, without a loader: the image and an initramfs of busybox alone, in turn, in
           the machine's own time, in which each instruction takes a nanosecond: a busy or slow host
           changes nothing
"""
import argparse
import functools
import http.server
import os
import re
import shlex
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

# The deck writes only the letters that change.
BOTH = r"(?s)SOU.*DES|DES.*SOU"
OVMF = "/usr/share/OVMF/OVMF_"


class Machine:
    """A machine with two more disks, its serial line and its monitor."""

    def __init__(self, options, folder):
        self.seen = ""
        self.ssh_port = 0
        self.in_memory = not options.image.endswith(".img")
        self.folder = folder
        medium = self.medium(options)
        self.start = time.monotonic()
        speed = ["-accel", "tcg,thread=multi", "-smp", "2"]
        if options.beside:
            speed = ["-accel", "tcg,thread=single", "-smp", "1", "-icount", "shift=0,sleep=off"]
        command = ["qemu-system-x86_64", *speed, "-cpu", "max", "-m", str(options.memory),
                   "-nodefaults", "-display", "none", "-vga", "std",
                   "-serial", f"unix:{folder}/serial,server=on,wait=off",
                   "-monitor", f"unix:{folder}/monitor,server=on,wait=off",
                   "-device", "qemu-xhci", "-device", "usb-kbd"]
        command += self.firmware(options.firmware)
        command += medium
        if options.menu:
            command += self.second_stick() + self.network()
        for name, device in (("source", "nvme"), ("destination", "ide-hd,bus=ide.1")):
            with open(f"{folder}/{name}", "wb") as disk:
                if name == "source":
                    disk.write(os.urandom(32 << 20))
                disk.truncate(32 << 20)
            # In a copy of 16 s there is time to go to another desk.
            slow = ",throttling.bps-write=2097152" if options.menu else ""
            command += ["-drive", f"if=none,id={name},format=raw,file={folder}/{name}{slow}",
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

    def medium(self, options):
        firmware, kind, image = options.firmware, options.medium, options.image
        if kind == "cd":
            return ["-drive", f"if=none,id=medium,format=raw,readonly=on,file={image}",
                    "-device", "ide-cd,bus=ide.0,drive=medium,bootindex=0"]
        if kind in ("tftp", "http", "kernel"):
            subprocess.run(["xorriso", "-osirrox", "on", "-indev", image, "-extract", "/boot",
                            f"{self.folder}/boot"], check=True, capture_output=True)
        if options.damaged:
            damage(f"{self.folder}/boot/initrd")
        if kind == "kernel":
            return ["-kernel", f"{self.folder}/boot/vmlinuz",
                    "-initrd", options.initrd or f"{self.folder}/boot/initrd",
                    "-append", "quiet loglevel=3 console=ttyS0,115200 console=tty0 rootfstype=ramfs"]
        if kind in ("tftp", "http"):
            server = self.serve() if kind == "http" else ""
            shim = firmware != "bios" and kind == "tftp"
            first = server + ("bootx64.efi" if shim else "boot.ipxe")
            # The card's old iPXE tells shim a wrong size of files.
            card = ",romfile=" if shim else ""
            return ["-netdev", f"user,id=net,tftp={self.folder}/boot,bootfile={first}",
                    "-device", f"virtio-net-pci,netdev=net,bootindex=0{card}"]
        # What is written to the stick stays in a copy.
        shutil.copy(image, f"{self.folder}/stick")
        return ["-drive", f"if=none,id=medium,format=raw,file={self.folder}/stick",
                "-device", "usb-storage,drive=medium,serial=STICK-0001,removable=on,bootindex=0"]

    def serve(self):
        folder = functools.partial(http.server.SimpleHTTPRequestHandler,
                                   directory=f"{self.folder}/boot")
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), folder)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f"http://10.0.2.2:{server.server_port}/"

    def second_stick(self):
        subprocess.run(["mkfs.vfat", "-n", "OTHER", "-C", f"{self.folder}/other", "8192"],
                       check=True, capture_output=True)
        return ["-drive", f"if=none,id=other,format=raw,file={self.folder}/other",
                "-device", "usb-storage,drive=other,serial=STICK-0002,removable=on"]

    def network(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.ssh_port = probe.getsockname()[1]
        return ["-netdev", f"user,id=ssh,hostfwd=tcp:127.0.0.1:{self.ssh_port}-:22",
                "-device", "e1000e,netdev=ssh"]

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
        while not (found := re.search(pattern, self.seen)):
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
        return found

    def seconds(self, pattern):
        """The machine's own time when this is seen, since its kernel started the HPET: 100 MHz in QEMU."""
        self.see(pattern)
        self.monitor.sendall(b"xp /1gx 0xfed000f0\n")
        said = ""
        while not (found := re.search(r"fed000f0: 0x([0-9a-f]{16})", said)):
            said += self.monitor.recv(65536).decode(errors="replace")
        return int(found.group(1), 16) / 1e8

    def type(self, text):
        for character in text:
            self.serial.sendall(character.encode())
            time.sleep(0.05)

    def command(self, text):
        self.monitor.sendall(text.encode() + b"\n")
        time.sleep(1)

    def compare(self):
        with open(f"{self.folder}/source", "rb") as one, open(f"{self.folder}/destination", "rb") as other:
            if one.read() != other.read():
                sys.exit("the copy differs")
        self.note("compared from outside")

    def end(self):
        self.process.kill()
        self.process.wait()


def damage(path):
    """Flips a bit in the middle of a file."""
    with open(path, "r+b") as file:
        file.seek(os.path.getsize(path) // 2)
        byte = file.read(1)[0]
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte ^ 1]))


def shell(machine):
    """Out of the deck."""
    machine.type("q")
    machine.see(r"p  power off")
    machine.type("s")
    machine.see(r"# $")


def copy(machine, stick, logs):
    """SCSI disks have their sg nodes; both ends are compared from outside; the stick is refused, and
    keeps the logs."""
    machine.type("ls -d /sys/block/sd*/device/scsi_generic/sg*; echo listed=$?\r")
    machine.see(r"scsi_generic/sg\d[^$]*listed=0")
    machine.type("clonedeck clone -s serial=TEST-SOU -d serial=TEST-DES "
                 "--confirm ST-DES; echo status=$?\r")
    machine.see(r"status=0", 600)
    machine.compare()
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
        machine.type("until grep -m 1 -o 'A copy is running' /dev/vcs4; do sleep 1; done\r")
        machine.see(r"done\r?\nA copy is running", 60)
        machine.command("sendkey ret")
    machine.command("sendkey k")
    for key in ("d", "e", "ret", "z", "ret"):
        machine.command(f"sendkey {key}")
    machine.type("until grep -o 'Enter): y' /dev/vcs4; do sleep 1; done\r")
    machine.see(r"Enter\): y\r", 60)
    machine.type("wait $copy; echo status=$?\r")
    machine.see(r"status=0", 300)


def ssh(machine, password, *command):
    """How a command is given from another desk, and its environment."""
    asked = f"{machine.folder}/password"
    with open(asked, "w", encoding="ascii") as script:
        script.write(f"#!/bin/sh\necho {password}\n")
    os.chmod(asked, 0o700)
    options = ["NumberOfPasswordPrompts=1", "ConnectTimeout=20", "StrictHostKeyChecking=no",
               "UserKnownHostsFile=/dev/null", "PreferredAuthentications=password"]
    return (["ssh", "-q", "-tt", "-p", str(machine.ssh_port),
             *(f"-o{option}" for option in options), "root@127.0.0.1", *command],
            os.environ | {"SSH_ASKPASS": asked, "SSH_ASKPASS_REQUIRE": "force"})


def is_let_in(machine, password):
    command, environment = ssh(machine, password, "true")
    return subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          check=False, timeout=300).returncode != 255


class Desk:
    """A terminal at another desk, in tmux."""

    def __init__(self, machine, name, password, *command):
        self.machine = machine
        self.tmux = ["tmux", "-S", f"{machine.folder}/{name}", "-f", "/dev/null"]
        command, environment = ssh(machine, password, *command)
        subprocess.run([*self.tmux, "new-session", "-d", "-x", "80", "-y", "24", shlex.join(command)],
                       env=environment, check=True)

    def see(self, text, limit=300):
        end = time.monotonic() + limit
        while text not in (screen := subprocess.run([*self.tmux, "capture-pane", "-p"], check=False,
                                                    capture_output=True, text=True).stdout):
            if time.monotonic() > end:
                print(screen)
                sys.exit(f"never seen at the other desk: {text}")
            time.sleep(0.5)
        self.machine.note(f"at the other desk: {text}")

    def type(self, *keys):
        for key in keys:
            subprocess.run([*self.tmux, "send-keys", key], check=True)
            time.sleep(0.5)

    def end(self):
        """The line is lost."""
        subprocess.run([*self.tmux, "kill-server"], check=False, capture_output=True)


def desks(machine, password):
    """A copy is started in the deck from one desk, whose line is lost, and watched from another."""
    desk = Desk(machine, "one", password, "clonedeck")
    try:
        desk.see("TEST-SOU")
        for label, serial, key, said in (("Serial  ", "TEST-SOU", "s", "Source is"),
                                         ("S/N ", "TEST-DES", "d", "will be copied to")):
            desk.type("/", "C-u", serial, "Enter")
            desk.see(label + serial)
            desk.type(key)
            desk.see(said)
        desk.type("Enter")
        desk.see("[3 Plan]")
        desk.type("ST-DES", "Enter")
        desk.see("COPYING")
        desk.type("p")
        desk.see("PAUSED")
    finally:
        desk.end()
    desk = Desk(machine, "another", password, "clonedeck attach")
    try:
        desk.see("PAUSED")
        desk.type("p")
        desk.see("[5 Report]")
        desk.see("COMPLETE")
        desk.type("q")
    finally:
        desk.end()
    machine.compare()


def choose_language(machine, name, answer):
    machine.type("g")
    machine.see(r"Name of yours")
    machine.type(f"{name}\r")
    machine.see(answer)


def menu(machine, leave):
    """Clock, language, SSH server and a second stick for the logs, from which they are read after the power
    was cut. leave: what is typed to come there."""
    machine.type(leave)
    machine.see(r"p  power off")
    machine.type("c")
    machine.see(r"HH:MM")
    machine.type("2031-05-06 07:08\r")
    machine.see(r"It is 2031-05-06 07:08:..[^$]*power off")
    if is_let_in(machine, "x"):
        sys.exit("the SSH server started by itself")
    choose_language(machine, "xx", "no language 'xx'[^$]*power off")
    choose_language(machine, "de", "p  power off")
    machine.type("d")
    machine.see(r"s=Quelle")
    machine.type("q")
    machine.see(r"p  power off")
    choose_language(machine, "en", "p  power off")
    machine.type("x")
    password = machine.see(r"password +(\S+)\s[^$]*power off").group(1)
    if is_let_in(machine, "wrong") or is_let_in(machine, ""):
        sys.exit("the SSH server lets everybody in")
    desks(machine, password)
    machine.type("x")
    machine.see(r"is off")
    if is_let_in(machine, password):
        sys.exit("the SSH server is still on")
    if machine.in_memory:
        machine.type("p")
        machine.see(r"will be lost[^$]*Type lose")
        machine.type("no\r")
        machine.see(r"p  power off")
    machine.type("l")
    name = machine.see(r"(\w+) .*OTHER[^$]*go to: $").group(1)
    machine.type(f"{name}\r")
    machine.see(r"They go to")
    machine.end()  # the power is cut
    listed = subprocess.run(["mdir", "-b", "-i", f"{machine.folder}/other", "::"],
                            check=True, capture_output=True, text=True).stdout
    if ".json" not in listed or ".map" not in listed:
        sys.exit(f"the power was cut, and the logs are lost: {listed}")
    machine.note("logs are on the second stick")


def busybox_alone(folder):
    """An initramfs that says on the serial line that it runs."""
    tree = f"{folder}/busybox"
    for name in ("bin", "dev"):
        os.makedirs(f"{tree}/{name}")
    shutil.copy("/usr/bin/busybox", f"{tree}/bin")  # a static one
    with open(f"{tree}/init", "w", encoding="ascii") as init:
        init.write("#!/bin/busybox sh\nbusybox mount -t devtmpfs dev /dev\n"
                   "echo started >/dev/ttyS0\nwhile :; do busybox sleep 9; done\n")
    os.chmod(f"{tree}/init", 0o755)
    with open(f"{folder}/busybox.cpio", "wb") as archive:
        subprocess.run(["cpio", "-o", "-H", "newc", "--quiet"], cwd=tree, check=True, stdout=archive,
                       input=b"init\nbin\nbin/busybox\ndev\n")
    return f"{folder}/busybox.cpio"


def beside(options, folder):
    """When busybox alone starts, the deck is on the serial line, and both disks are in it."""
    rows = []
    for number in range(options.beside):
        row = []
        for initrd, patterns in ((busybox_alone, ["started"]), (None, [r"\[1 Disks\]", BOTH])):
            place = f"{folder}/{number}{'i' if initrd else 'd'}"
            os.mkdir(place)
            options.initrd = initrd(place) if initrd else None
            machine = Machine(options, place)
            try:
                row += [machine.seconds(pattern) for pattern in patterns]
            finally:
                machine.end()
        rows.append(row)
    for row in rows:
        print("busybox {:.2f} s, deck {:.2f}, disks {:.2f}".format(*row))
    alone, deck, disks = (statistics.median(column) for column in zip(*rows))
    print(f"median: deck {deck - alone:.2f} s after busybox, disks {disks - deck:.2f} s after the deck")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("firmware", choices=("bios", "uefi", "secure"))
    parser.add_argument("medium", choices=("stick", "cd", "tftp", "http", "kernel"))
    parser.add_argument("image")
    parser.add_argument("--memory", type=int, default=512)
    parser.add_argument("--copy", action="store_true")
    parser.add_argument("--keys", action="store_true")
    parser.add_argument("--menu", action="store_true")
    parser.add_argument("--screen")
    parser.add_argument("--says")
    parser.add_argument("--damaged", action="store_true")
    parser.add_argument("--beside", type=int)
    options = parser.parse_args()
    options.initrd = None
    if options.damaged:
        options.says = "its programs are damaged"
    with tempfile.TemporaryDirectory(prefix="clonedeck-image.") as folder:
        if options.beside:
            beside(options, folder)
            return
        machine = Machine(options, folder)
        try:
            machine.see(options.says or "TEST-SOU")
            if options.screen:
                machine.command(f"screendump {os.path.abspath(options.screen)} -f png")
            if options.copy or options.keys:
                shell(machine)
            if options.copy:
                stick = options.medium == "stick"
                copy(machine, stick, stick and options.image.endswith(".img"))
            if options.keys:
                keys(machine)
            if options.menu:
                menu(machine, "exit\r" if options.copy or options.keys else "q")
        finally:
            machine.end()


if __name__ == "__main__":
    main()
