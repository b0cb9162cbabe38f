#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Descriptions of machines that we do not have, in umockdev's device format.

usage: machines.py NAME DIRECTORY

Writes NAME.umockdev, NAME.mountinfo and NAME.swaps into the directory.
"""
import argparse
import os

SECTOR = 512


class Machine:
    def __init__(self):
        self.lines = []
        self.mounts = []
        self.swaps = []

    def device(self, path, subsystem, node=None, links=(), attributes=(), symlinks=(), **properties):
        """One device: `attributes` are sysfs files, `properties` udev's."""
        self.lines.append(f"P: {path}")
        if node:
            self.lines.append(f"N: {node}")
        for link in links:
            self.lines.append(f"S: {link}")
        self.lines.append(f"E: SUBSYSTEM={subsystem}")
        for name, value in properties.items():
            self.lines.append(f"E: {name}={value}")
        if links:
            self.lines.append("E: DEVLINKS=" + " ".join("/dev/" + link for link in links))
        for name, value in dict(attributes).items():
            if isinstance(value, bytes):
                self.lines.append(f"H: {name}={value.hex().upper()}")
            else:
                self.lines.append(f"A: {name}={value}\\n")
        for name, target in dict(symlinks).items():
            self.lines.append(f"L: {name}={target}")
        self.lines.append("")

    def block(self, path, name, devno, size, devtype="disk", attributes=(), links=(), symlinks=(),
              rotational=0, logical=512, physical=512, removable=0, ro=0, diskseq=None,
              zoned="none", **properties):
        major, minor = devno
        files = {"size": size // SECTOR, "removable": removable, "ro": ro,
                 "dev": f"{major}:{minor}"}
        if devtype == "disk":
            files.update({"queue/rotational": rotational, "queue/logical_block_size": logical,
                          "queue/physical_block_size": physical, "queue/max_sectors_kb": 1280,
                          "queue/max_hw_sectors_kb": 32767, "queue/write_cache": "write back",
                          "queue/discard_max_bytes": 0,
                          "queue/dma_alignment": 511, "alignment_offset": 0})
            if zoned:
                files["queue/zoned"] = zoned
            if diskseq is not None:
                files["diskseq"] = diskseq
        files.update(attributes)
        self.device(path, "block", node=name, links=links, attributes=files, symlinks=symlinks,
                    DEVNAME=f"/dev/{name}", DEVTYPE=devtype, MAJOR=major, MINOR=minor,
                    **properties)

    def partition(self, disk, name, number, devno, start, size, **properties):
        self.block(f"{disk}/{name}", name, devno, size, devtype="partition",
                   attributes={"partition": number, "start": start}, **properties)

    def scsi(self, parents, hctl, name, index, size, vendor, model, rev, driver=None, sg=True,
             bsg=True, attributes=(), **properties):
        """A SCSI disk below the device `parents` (which exists); returns the disk's path."""
        host, channel, target, _ = hctl.split(":")
        device = f"{parents}/host{host}/target{host}:{channel}:{target}/{hctl}"
        self.device(device, "scsi", DEVTYPE="scsi_device", DRIVER="sd",
                    attributes={"vendor": vendor, "model": model, "rev": rev, "type": 0,
                                "queue_depth": 32, **dict(attributes)},
                    symlinks={"driver": "../../../../../../bus/scsi/drivers/sd"})
        if sg:
            self.device(f"{device}/scsi_generic/sg{index}", "scsi_generic", node=f"sg{index}",
                        attributes={"dev": f"21:{index}"}, DEVNAME=f"/dev/sg{index}", MAJOR=21,
                        MINOR=index)
        if bsg:
            self.device(f"{device}/bsg/{hctl}", "bsg", node=f"bsg/{hctl}",
                        attributes={"dev": f"251:{index}"}, DEVNAME=f"/dev/bsg/{hctl}", MAJOR=251,
                        MINOR=index)
        disk = f"{device}/block/{name}"
        self.block(disk, name, sd_devno(index), size, **properties)
        return device, disk

    def hwmon(self, parent, number, millidegrees):
        self.device(f"{parent}/hwmon/hwmon{number}", "hwmon",
                    attributes={"name": "drivetemp", "temp1_input": millidegrees})

    def virtual(self, name, devno, size, below=(), attributes=(), **properties):
        """A device mapper, md, bcache or loop device that stands on others."""
        path = f"/devices/virtual/block/{name}"
        slaves = {f"slaves/{os.path.basename(b)}": "../../../../.." + b for b in below}
        self.block(path, name, devno, size, attributes=attributes, symlinks=slaves, **properties)
        return path

    def mount(self, devno, source, target, fstype="ext4", root="/"):
        self.mounts.append(f"{len(self.mounts) + 20} 1 {devno[0]}:{devno[1]} {root} {target} "
                           f"rw,relatime - {fstype} {source} rw")

    def swap(self, path):
        self.swaps.append(f"{path} partition 1048576 0 -2")


def sd_devno(index, partition=0):
    majors = [8] + list(range(65, 72)) + list(range(128, 136))
    minor = index * 16 + partition
    return (majors[minor // 256 % len(majors)], minor % 256)


def sd_name(index):
    name = ""
    while index >= 0:
        name = chr(ord("a") + index % 26) + name
        index = index // 26 - 1
    return "sd" + name


def laptop():
    """SATA and NVMe inside, an USB stick outside; sg, bsg, temperatures."""
    m = Machine()
    ahci = "/devices/pci0000:00/0000:00:17.0"
    m.device(ahci, "pci", DRIVER="ahci",
             symlinks={"driver": "../../../bus/pci/drivers/ahci"})
    ata, sda = m.scsi(
        f"{ahci}/ata3", "2:0:0:0", "sda", 0, 2000398934016, "ATA     ", "ST2000DM008-2FR1", "0001",
        rotational=1, physical=4096, diskseq=3,
        attributes={"wwid": "naa.5000c500a1b2c3d4"},
        links=["disk/by-id/wwn-0x5000c500a1b2c3d4", "disk/by-id/ata-ST2000DM008-2FR102_ZFL1A2B3"],
        ID_BUS="ata", ID_ATA="1", ID_ATA_SATA="1", ID_MODEL="ST2000DM008-2FR102",
        ID_MODEL_ENC=r"ST2000DM008-2FR102\x20\x20\x20\x20", ID_REVISION="0001",
        ID_SERIAL="ST2000DM008-2FR102_ZFL1A2B3", ID_SERIAL_SHORT="ZFL1A2B3",
        ID_WWN="0x5000c500a1b2c3d4", ID_WWN_WITH_EXTENSION="0x5000c500a1b2c3d4",
        ID_PATH="pci-0000:00:17.0-ata-3", ID_PART_TABLE_TYPE="gpt",
        ID_PART_TABLE_UUID="11111111-2222-3333-4444-555555555555")
    m.hwmon(ata, 1, 31000)
    m.partition(sda, "sda1", 1, sd_devno(0, 1), 2048, 512 << 20, ID_FS_TYPE="vfat",
                ID_FS_LABEL="ESP", ID_FS_LABEL_ENC="ESP", ID_FS_UUID="ABCD-0123",
                ID_PART_ENTRY_TYPE="c12a7328-f81f-11d2-ba4b-00a0c93ec93b",
                ID_PART_ENTRY_NAME=r"EFI\x20system", ID_PART_ENTRY_NUMBER=1)
    m.partition(sda, "sda2", 2, sd_devno(0, 2), 1050624, 1 << 30, ID_FS_TYPE="ext4",
                ID_FS_LABEL_ENC=r"my\x20boot", ID_FS_UUID="0000-1",
                ID_PART_ENTRY_TYPE="0fc63daf-8483-4772-8e79-3d69d8477de4")

    nvme = "/devices/pci0000:00/0000:00:1d.0/0000:02:00.0"
    m.device(nvme, "pci", DRIVER="nvme", symlinks={"driver": "../../../../bus/pci/drivers/nvme"})
    controller = f"{nvme}/nvme/nvme0"
    m.device(controller, "nvme", node="nvme0", DEVNAME="/dev/nvme0", MAJOR=244, MINOR=0,
             attributes={"model": "Samsung SSD 980 1TB                     ",
                         "serial": "S64DNF0R123456B     ", "firmware_rev": "2B4QFXO7"})
    m.device(f"{controller}/hwmon2", "hwmon",
             attributes={"name": "nvme", "temp1_input": 40850})
    m.device(f"{controller}/ng0n1", "nvme-generic", node="ng0n1", DEVNAME="/dev/ng0n1",
             attributes={"dev": "243:0"}, MAJOR=243, MINOR=0)
    disk = f"{controller}/nvme0n1"
    m.block(disk, "nvme0n1", (259, 0), 1000204886016, diskseq=2,
            symlinks={"device": "../../nvme0"},
            attributes={"nsid": "1", "wwid": "eui.0025385a01b2c3d4"},
            links=["disk/by-id/nvme-eui.0025385a01b2c3d4",
                   "disk/by-id/nvme-Samsung_SSD_980_1TB_S64DNF0R123456B"],
            ID_SERIAL_SHORT="S64DNF0R123456B", ID_WWN="eui.0025385a01b2c3d4",
            ID_MODEL="Samsung SSD 980 1TB", ID_PATH="pci-0000:02:00.0-nvme-1",
            ID_PART_TABLE_TYPE="gpt")
    m.partition(disk, "nvme0n1p1", 1, (259, 1), 2048, 512 << 20, ID_FS_TYPE="vfat")
    m.partition(disk, "nvme0n1p2", 2, (259, 2), 1050624, 900 << 30, ID_FS_TYPE="crypto_LUKS")
    m.virtual("dm-0", (252, 0), 899 << 30, [f"{disk}/nvme0n1p2"],
              {"dm/name": "nvme0n1p2_crypt", "dm/uuid": "CRYPT-LUKS2-0"})
    m.virtual("dm-1", (252, 1), 800 << 30, ["/devices/virtual/block/dm-0"],
              {"dm/name": "vg-root", "dm/uuid": "LVM-1"})
    m.virtual("dm-2", (252, 2), 16 << 30, ["/devices/virtual/block/dm-0"],
              {"dm/name": "vg-swap", "dm/uuid": "LVM-2"})
    m.mount((252, 1), "/dev/mapper/vg-root", "/")
    m.mount((259, 1), "/dev/nvme0n1p1", "/boot/efi", "vfat")
    m.swap("/dev/dm-2")

    usb = "/devices/pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0"
    m.device(usb, "usb", DEVTYPE="usb_interface", DRIVER="usb-storage",
             symlinks={"driver": "../../../../../../bus/usb/drivers/usb-storage"})
    _, sdb = m.scsi(usb, "6:0:0:0", "sdb", 1, 31037849600, "SanDisk ", "Ultra           ", "1.00",
                    removable=1, ro=1, diskseq=9, ID_BUS="usb", ID_SERIAL_SHORT="4C530001230821103355",
                    ID_VENDOR="SanDisk", ID_MODEL="Ultra", ID_MODEL_ENC=r"Ultra\x20\x20",
                    ID_PATH="pci-0000:00:14.0-usb-0:1:1.0-scsi-0:0:0:0",
                    ID_PART_TABLE_TYPE="dos")
    m.partition(sdb, "sdb1", 1, sd_devno(1, 1), 2048, 31036801024, ID_FS_TYPE="exfat",
                ID_PART_ENTRY_TYPE="0x7")
    # A card reader without a card, and what is never listed.
    m.scsi(usb.replace("2-1", "2-2"), "7:0:0:0", "sdc", 2, 0,
           "Generic-", "SD/MMC          ", "1.00", removable=1, ID_BUS="usb")
    # A disk that goes while it is looked at.
    m.device(f"{ahci}/ata5/host4/target4:0:0/4:0:0:0/block/sdx", "block", DEVTYPE="disk",
             attributes={"size": 2048, "removable": 0})
    optical = f"{ahci}/ata4/host3/target3:0:0/3:0:0:0"
    m.device(optical, "scsi", DEVTYPE="scsi_device", attributes={"type": 5})
    m.device(f"{optical}/scsi_generic/sg3", "scsi_generic", node="sg3", DEVNAME="/dev/sg3",
             attributes={"dev": "21:3"}, symlinks={"device": "../../../3:0:0:0"}, MAJOR=21, MINOR=3)
    m.block(f"{optical}/block/sr0", "sr0", (11, 0), 1073741312, removable=1)
    return m


def raw():
    """An old kernel with the raw driver; rawctl answers in the test itself."""
    m = Machine()
    sas = "/devices/pci0000:00/0000:00:03.0/0000:03:00.0"
    m.device(sas, "pci", DRIVER="mpt2sas", symlinks={"driver": "../../../../bus/pci/drivers/mpt2sas"})
    for i in range(2):
        port = f"{sas}/host4/port-4:{i}/end_device-4:{i}"
        _, disk = m.scsi(port, f"4:0:{i + 9}:0", sd_name(i), i, 2000398934016, "HGST    ",
                         "HUS724020AL     ", "A5F0", rotational=1, ID_BUS="scsi",
                         zoned=["host-aware", "host-managed"][i],
                         ID_SERIAL_SHORT=f"35000cca01a2b3c{i}d",
                         ID_SCSI_SERIAL=f"PN2134P6J8K{'XY'[i]}",
                         ID_WWN=f"0x5000cca01a2b3c{i}d")
        if i == 1:
            m.partition(disk, "sdb1", 1, sd_devno(1, 1), 2048, 1 << 30)
    m.device("/devices/virtual/raw/rawctl", "raw", node="raw/rawctl", DEVNAME="/dev/raw/rawctl",
             attributes={"dev": "162:0"}, MAJOR=162, MINOR=0)
    for i in (1, 2, 7):
        m.device(f"/devices/virtual/raw/raw{i}", "raw", node=f"raw/raw{i}",
                 DEVNAME=f"/dev/raw/raw{i}", attributes={"dev": f"162:{i}"}, MAJOR=162, MINOR=i)
    return m


def many():
    """200 SAS disks with a partition each."""
    m = Machine()
    hba = "/devices/pci0000:00/0000:00:03.0/0000:03:00.0"
    m.device(hba, "pci", DRIVER="mpt3sas", symlinks={"driver": "../../../../bus/pci/drivers/mpt3sas"})
    for i in range(200):
        port = f"{hba}/host0/port-0:{i}/end_device-0:{i}"
        name = sd_name(i)
        _, disk = m.scsi(port, f"0:0:{i}:0", name, i, 18000207937536, "SEAGATE ",
                         "ST18000NM004J   ", "E004", rotational=1, physical=4096, diskseq=i + 1,
                         attributes={"wwid": f"naa.5000c500d{i:07x}"},
                         links=[f"disk/by-id/wwn-0x5000c500d{i:07x}",
                                f"disk/by-id/scsi-SSEAGATE_ST18000NM004J_ZR5{i:05d}"],
                         ID_BUS="scsi", ID_SERIAL_SHORT=f"35000c500d{i:07x}",
                         ID_SCSI_SERIAL=f"ZR5{i:05d}", ID_WWN=f"0x5000c500d{i:07x}",
                         ID_PART_TABLE_TYPE="gpt", bsg=False)
        m.partition(disk, f"{name}1", 1, sd_devno(i, 1), 2048, 1 << 40, ID_FS_TYPE="xfs",
                    ID_FS_LABEL_ENC=f"disk{i}")
    return m


def nosg():
    """SCSI disks of a system that has not loaded the sg driver; no udev database either."""
    m = Machine()
    ahci = "/devices/pci0000:00/0000:00:17.0"
    m.device(ahci, "pci", DRIVER="ahci", attributes={"remapped_nvme": 2},
             symlinks={"driver": "../../../bus/pci/drivers/ahci"})
    page = b"\x00\x80\x00\x10" + b"    S3Z9NB0K1234"
    m.scsi(f"{ahci}/ata1", "0:0:0:0", "sda", 0, 500107862016, "ATA     ", "Samsung SSD 860 ", "2B6Q",
           sg=False, bsg=False, attributes={"wwid": "naa.5002538e40a1b2c3", "vpd_pg80": page})
    m.scsi(f"{ahci}/ata2", "1:0:0:0", "sdb", 1, 500107862016, "ATA     ", "Samsung SSD 860 ", "2B6Q",
           sg=False, bsg=False,
           attributes={"wwid": "t10.ATA     Samsung SSD 860 EVO 500GB  S3Z9NB0K5678"})
    # Shingled, and the kernel knows nothing of zones.
    m.scsi(f"{ahci}/ata3", "2:0:0:0", "sdc", 2, 14000519643136, "ATA     ", "HGST HSH721414AL", "T2E0",
           sg=False, bsg=False, zoned=None, rotational=1, attributes={"type": 20})
    return m


def stack():
    """LVM on md on crypt on four disks, btrfs on two, bcache, and a live medium."""
    m = Machine()
    ahci = "/devices/pci0000:00/0000:00:17.0"
    m.device(ahci, "pci", DRIVER="ahci", symlinks={"driver": "../../../bus/pci/drivers/ahci"})
    disks = []
    for i in range(8):
        _, disk = m.scsi(f"{ahci}/ata{i + 1}", f"{i}:0:0:0", sd_name(i), i, 100 << 30, "ATA     ",
                         "DISK            ", "1", ID_SERIAL_SHORT=f"STACK{i}")
        disks.append(disk)
    for i in range(2):
        m.partition(disks[i], f"{sd_name(i)}1", 1, sd_devno(i, 1), 2048, 90 << 30)
        m.virtual(f"dm-{i}", (252, i), 89 << 30, [f"{disks[i]}/{sd_name(i)}1"],
                  {"dm/name": f"crypt{i}"})
    md = m.virtual("md0", (9, 0), 88 << 30, [f"/devices/virtual/block/dm-{i}" for i in range(2)],
                   {"md/level": "raid1", "md/degraded": 1})
    m.virtual("dm-2", (252, 2), 50 << 30, [md], {"dm/name": "vg0-srv"})
    m.mount((252, 2), "/dev/mapper/vg0-srv", "/srv")
    m.mount((252, 2), "/dev/mapper/vg0-srv", "/export\\040two", root="/share")
    # btrfs over two whole disks: its device number is made up.
    m.mount((0, 50), "/dev/sdc", "/data", "btrfs", "/subvol")
    # A disk over the network: its folder is not called as its node.
    aoe = "/devices/virtual/block/etherd!e1.1"
    m.block(aoe, "etherd/e1.1", (152, 16), 100 << 30)
    m.block(f"{aoe}/etherd!e1.1p1", "etherd/e1.1p1", (152, 17), 90 << 30, devtype="partition",
            attributes={"partition": 1, "start": 2048})
    m.virtual("dm-3", (252, 3), 10 << 30, [f"{aoe}/etherd!e1.1p1"], {"dm/name": "vg1-net"})
    # bcache: the backing partition and the cache.
    m.virtual("bcache0", (251, 0), 99 << 30, [disks[4], disks[5]])
    # A live medium: root is an overlay over a squashfs in a file on the stick.
    m.partition(disks[6], "sdg1", 1, sd_devno(6, 1), 2048, 4 << 30)
    m.mount(sd_devno(6, 1), "/dev/sdg1", "/run/live/medium", "iso9660")
    m.virtual("loop0", (7, 0), 2 << 30,
              attributes={"loop/backing_file": "/run/live/medium/live/filesystem.squashfs"})
    m.mount((7, 0), "/dev/loop0", "/run/live/rootfs/filesystem.squashfs", "squashfs")
    m.mount((0, 60), "overlay", "/", "overlay")
    m.mounts[-1] = m.mounts[-1][:-2] + ("rw,lowerdir=/run/live/rootfs/filesystem.squashfs,"
                                        "upperdir=/run/live/overlay/rw,workdir=/run/live/w")
    # A file on /srv backs a loop device that is swapped to.
    m.virtual("loop1", (7, 1), 1 << 30, attributes={"loop/backing_file": "/srv/swap.img (deleted)"})
    m.swap("/dev/loop1")
    return m


MACHINES = {"laptop": laptop, "raw": raw, "many": many, "nosg": nosg, "stack": stack}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("name", choices=sorted(MACHINES))
    parser.add_argument("directory")
    arguments = parser.parse_args()
    machine = MACHINES[arguments.name]()
    files = {"umockdev": machine.lines, "mountinfo": machine.mounts,
             "swaps": ["Filename Type Size Used Priority"] + machine.swaps}
    for suffix, lines in files.items():
        path = os.path.join(arguments.directory, f"{arguments.name}.{suffix}")
        with open(path, "w", encoding="ascii") as file:
            file.writelines(line + "\n" for line in lines)


if __name__ == "__main__":
    main()
