# fish completion for clonedeck(8)

function __clonedeck_disks
    clonedeck list --json 2>/dev/null | string replace -rf '^ *"node": *"([^"]*)",?$' '$1'
end

set -l commands list show clone resume verify jobs
set -l clone '__fish_seen_subcommand_from clone'
set -l copy '__fish_seen_subcommand_from clone resume'

complete -c clonedeck -f
complete -c clonedeck -n "not __fish_seen_subcommand_from $commands" -a list -d 'print the disks'
complete -c clonedeck -n "not __fish_seen_subcommand_from $commands" -a show -d 'print one disk'
complete -c clonedeck -n "not __fish_seen_subcommand_from $commands" -a clone -d copy
complete -c clonedeck -n "not __fish_seen_subcommand_from $commands" -a resume -d 'go on from a map'
complete -c clonedeck -n "not __fish_seen_subcommand_from $commands" -a verify -d 'compare a copy'
complete -c clonedeck -n "not __fish_seen_subcommand_from $commands" -a jobs -d 'print the copies that run'
complete -c clonedeck -n "not __fish_seen_subcommand_from $commands" -l glyphs -x -a 'auto braille block acs ascii'
complete -c clonedeck -n "not __fish_seen_subcommand_from $commands" -l color -x -a 'auto never always'
complete -c clonedeck -n "not __fish_seen_subcommand_from $commands" -l size -x
complete -c clonedeck -n "not __fish_seen_subcommand_from $commands" -l simple -d 'lines instead of panes, for screen readers'
complete -c clonedeck -n "not __fish_seen_subcommand_from $commands" -l practice -x -a '(__fish_complete_directories)'
complete -c clonedeck -n "not __fish_seen_subcommand_from $commands" -l allow -x -d 'turn one refusal into a warning'
complete -c clonedeck -n "not __fish_seen_subcommand_from $commands" -l on-vanish -x -a 'wait ask stop' -d 'if a disk is unplugged'
complete -c clonedeck -n "not __fish_seen_subcommand_from $commands" -l on-hangup -x -a 'continue stop' -d 'if a copy loses its terminal'
complete -c clonedeck -n "not __fish_seen_subcommand_from $commands" -l version -d 'version and features'
complete -c clonedeck -l help -d 'show help'

complete -c clonedeck -n '__fish_seen_subcommand_from list' -l all -d 'loop, RAM, dm and md too'
complete -c clonedeck -n '__fish_seen_subcommand_from list' -s v -l verbose -d 'also what kernels no longer have'
complete -c clonedeck -n '__fish_seen_subcommand_from list show clone resume verify jobs' -l json -d 'as JSON'
complete -c clonedeck -n '__fish_seen_subcommand_from show' -F -a '(__clonedeck_disks)'

complete -c clonedeck -n $copy -s s -l source -r -F -a '(__clonedeck_disks)'
complete -c clonedeck -n $copy -s d -l destination -r -F -a '(__clonedeck_disks)'
complete -c clonedeck -n '__fish_seen_subcommand_from verify' -F
complete -c clonedeck -n '__fish_seen_subcommand_from verify' -s s -l source -r -F -a '(__clonedeck_disks)'
complete -c clonedeck -n '__fish_seen_subcommand_from verify' -s d -l destination -r -F -a '(__clonedeck_disks)'
complete -c clonedeck -n '__fish_seen_subcommand_from verify' -s r -l ranges -x -d 'what to compare'
complete -c clonedeck -n '__fish_seen_subcommand_from verify' -l at -x -d 'LBA on the destination'
complete -c clonedeck -n $clone -s r -l ranges -x -d 'what to copy'
complete -c clonedeck -n '__fish_seen_subcommand_from clone resume verify' -l source-sector-size -x -a '512 4096' -d 'of an image'
complete -c clonedeck -n $clone -l domain -r -F -d 'only areas that are finished in this map'
complete -c clonedeck -n $clone -l at -x -d 'LBA on the destination'
complete -c clonedeck -n '__fish_seen_subcommand_from resume' -F
complete -c clonedeck -n $copy -l confirm -x -d 'the token that confirms the destination'
complete -c clonedeck -n $copy -s n -l dry-run -d 'print the plan, write nothing'
complete -c clonedeck -n $copy -l allow -x -d 'turn one refusal into a warning'
complete -c clonedeck -n $clone -s b -l chunk -x -d 'size of one request'
complete -c clonedeck -n $clone -s q -l queue-depth -x -d 'requests in flight per disk'
complete -c clonedeck -n $clone -s j -l lanes -x -d threads
complete -c clonedeck -n $clone -l source-backend -x -a 'auto uring threads sg buffered image'
complete -c clonedeck -n $clone -l destination-backend -x -a 'auto uring threads sg buffered image'
complete -c clonedeck -n $clone -l sg-io -x -a 'direct mmap indirect' -d 'how data gets to and from the sg driver'
complete -c clonedeck -n $clone -l sg-fua -d 'force each write to the medium'
complete -c clonedeck -n $clone -l sg-dpo -d 'tell the disk not to cache the data'
complete -c clonedeck -n $copy -l rate -x -d 'limit in bytes per second'
complete -c clonedeck -n $clone -l retries -x -d 'of a failed request'
complete -c clonedeck -n $clone -l on-error -x -a 'stop map' -d 'on a read error'
complete -c clonedeck -n $copy -l on-write-error -x -a 'stop map' -d 'on a write error'
complete -c clonedeck -n $copy -l fill -x -a 'zero mark leave' -d 'what the destination gets for bad sectors'
complete -c clonedeck -n $copy -l retry-passes -x -d 'final passes over the bad sectors'
complete -c clonedeck -n '__fish_seen_subcommand_from resume' -l retry-area -x -d 'read bad sectors again only in these ranges'
complete -c clonedeck -n $copy -l slow-limit -x -d 'seconds that a read may take'
complete -c clonedeck -n $copy -l max-bad-areas -x -d 'stop after more bad areas'
complete -c clonedeck -n $copy -l max-read-errors -x -d 'stop after more failed reads'
complete -c clonedeck -n $copy -l max-error-rate -x -d 'stop if more bytes per second fail'
complete -c clonedeck -n $copy -l max-no-read -x -d 'stop after so many seconds without a good read'
complete -c clonedeck -n $clone -l no-arm-last -d 'copy tables and boot sectors in order'
complete -c clonedeck -n $clone -l probe -d 'test the real size of the destination first'
complete -c clonedeck -n $clone -l no-probe -d 'do not test the real size of the destination'
complete -c clonedeck -n $clone -l verify -a 'digest rolling after compare' -d 'read the copy back'
complete -c clonedeck -n $copy -l no-verify -d 'do not read the copy back'
complete -c clonedeck -n $clone -l rewrite -d 'rewrite what differs'
complete -c clonedeck -n "__fish_seen_subcommand_from clone verify" -l digest -x -a 'sha256 sha512 blake2b sha1 md5 xxh3' -d 'checksums of the whole source'
complete -c clonedeck -n $clone -s m -l map -r -F
complete -c clonedeck -n $copy -l report -r -F
complete -c clonedeck -n $copy -l certificate -r -F -d 'certificate to print'
complete -c clonedeck -n $copy -l operator -x -d 'who makes the copy'
complete -c clonedeck -n $copy -l ticket -x -d 'order or case number'
complete -c clonedeck -n $copy -l mask-serials -d 'show only the end of serial numbers'
complete -c clonedeck -n $copy -l on-vanish -x -a 'wait stop' -d 'if a disk is unplugged'
complete -c clonedeck -n $copy -l on-hangup -x -a 'continue stop' -d 'if the terminal is lost'
complete -c clonedeck -n $copy -l wait -x -d 'seconds at most for a disk that is gone'
complete -c clonedeck -n $copy -l map-interval -x -d 'seconds between two saves of the map'
complete -c clonedeck -n $copy -l log-dir -x -a '(__fish_complete_directories)'
