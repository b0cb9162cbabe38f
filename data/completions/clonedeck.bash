# bash completion for clonedeck(8)

_clonedeck_disks()
{
    clonedeck list --json 2>/dev/null |
        sed -n 's/^ *"node": *"\([^"]*\)",\{0,1\}$/\1/p'
}

_clonedeck_copies()
{
    clonedeck jobs --json 2>/dev/null | sed -n 's/^ *"pid": *\([0-9]*\),\{0,1\}$/\1/p'
}

_clonedeck()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command='' word
    local resume_options='--source --destination --confirm --dry-run --allow --report --certificate --operator --ticket
        --mask-serials --log-dir --json --help --on-vanish --on-hangup --notify --wait --map-interval
        --preset --rate --no-verify --on-write-error --fill --retry-passes --slow-limit
        --max-bad-areas --max-read-errors --max-error-rate --max-no-read'
    local clone_options="--ranges --source-sector-size --domain --used --at --chunk --queue-depth --lanes
        --source-backend --destination-backend --sg-io --sg-fua --sg-dpo --retries --on-error
        --no-arm-last --table --grow --layout --grow-fs --shrink-via --probe --no-probe --map
        --verify --rewrite --digest --identities --free
        $resume_options"

    # "--option=value" arrives as three words
    if [[ $cur == '=' ]]; then
        cur=''
    elif [[ $prev == '=' ]]; then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        case $word in
        list | show | clone | resume | verify | jobs | attach | bench)
            command=$word
            break
            ;;
        esac
    done

    case $prev in
    -s | --source | -d | --destination)
        mapfile -t COMPREPLY < <(compgen -W "$(_clonedeck_disks)" -- "$cur"; compgen -f -- "$cur")
        return
        ;;
    -m | --map | --domain | --compare | --report | --certificate)
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        return
        ;;
    --log-dir | --practice)
        mapfile -t COMPREPLY < <(compgen -d -- "$cur")
        return
        ;;
    --source-backend | --destination-backend)
        mapfile -t COMPREPLY < <(compgen -W 'auto uring threads sg buffered image' -- "$cur")
        return
        ;;
    --preset)
        mapfile -t COMPREPLY < <(compgen -W 'healthy failing forensic' -- "$cur")
        return
        ;;
    --table)
        mapfile -t COMPREPLY < <(compgen -W 'keep fit gpt' -- "$cur")
        return
        ;;
    --grow)
        mapfile -t COMPREPLY < <(compgen -W 'last none' -- "$cur")
        return
        ;;
    --source-sector-size)
        mapfile -t COMPREPLY < <(compgen -W '512 4096' -- "$cur")
        return
        ;;
    --identities)
        mapfile -t COMPREPLY < <(compgen -W 'keep new new,rewrite' -- "$cur")
        return
        ;;
    --sg-io)
        mapfile -t COMPREPLY < <(compgen -W 'direct mmap indirect' -- "$cur")
        return
        ;;
    --free)
        mapfile -t COMPREPLY < <(compgen -W 'zero discard leave' -- "$cur")
        return
        ;;
    --fill)
        mapfile -t COMPREPLY < <(compgen -W 'zero mark leave' -- "$cur")
        return
        ;;
    --on-error | --on-write-error)
        mapfile -t COMPREPLY < <(compgen -W 'stop map' -- "$cur")
        return
        ;;
    --on-vanish)
        word='wait stop'
        [[ $command ]] || word+=' ask'
        mapfile -t COMPREPLY < <(compgen -W "$word" -- "$cur")
        return
        ;;
    --on-hangup)
        mapfile -t COMPREPLY < <(compgen -W 'continue stop' -- "$cur")
        return
        ;;
    --verify)
        mapfile -t COMPREPLY < <(compgen -W 'digest rolling after compare' -- "$cur")
        return
        ;;
    --digest)
        mapfile -t COMPREPLY < <(compgen -W 'sha256 sha512 blake2b sha1 md5 xxh3' -- "$cur")
        return
        ;;
    --glyphs)
        mapfile -t COMPREPLY < <(compgen -W 'auto braille block half acs ascii' -- "$cur")
        return
        ;;
    --theme)
        mapfile -t COMPREPLY < <(compgen -W 'auto dark light high' -- "$cur")
        return
        ;;
    --color)
        mapfile -t COMPREPLY < <(compgen -W 'auto never always' -- "$cur")
        return
        ;;
    --retry-passes | --slow-limit | --max-bad-areas | --max-read-errors | --max-error-rate | \
        --max-no-read)
        return
        ;;
    --rounds | --positions | --time | --request | --wait | --map-interval | --confirm | --allow | --operator | --ticket | --rate | --retries | --size | --at | -r | --ranges | \
        -b | --chunk | -q | --queue-depth | -j | --lanes)
        return
        ;;
    esac

    case $command in
    list) mapfile -t COMPREPLY < <(compgen -W '--json --all --verbose --help' -- "$cur") ;;
    jobs) mapfile -t COMPREPLY < <(compgen -W '--json --help' -- "$cur") ;;
    attach) mapfile -t COMPREPLY < <(compgen -W "--glyphs --color --theme --no-mouse --size --help $(_clonedeck_copies)" -- "$cur") ;;
    show)
        mapfile -t COMPREPLY < <(compgen -W "--json --help $(_clonedeck_disks)" -- "$cur"; compgen -f -- "$cur")
        ;;
    clone)
        mapfile -t COMPREPLY < <(compgen -W "$clone_options" -- "$cur")
        ;;
    resume)
        if [[ $cur == -* ]]; then
            mapfile -t COMPREPLY < <(compgen -W "--retry-area --source-sector-size $resume_options" -- "$cur")
        else
            mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        fi
        ;;
    verify)
        if [[ $cur == -* ]]; then
            mapfile -t COMPREPLY < <(compgen -W '--source --destination --ranges --at --source-sector-size --digest --json --help' -- "$cur")
        else
            mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        fi
        ;;
    bench)
        mapfile -t COMPREPLY < <(compgen -W "rbuf profile sizes engines copy lethargy --rounds --positions --size --time --request
            --compare --json --csv --html --write --confirm --practice --log-dir --help $(_clonedeck_disks)" -- "$cur")
        ;;
    *)
        mapfile -t COMPREPLY < <(compgen -W 'list show clone resume verify jobs attach bench --glyphs --color --theme --no-mouse --size
            --simple --practice --allow --on-vanish --on-hangup --notify --log-dir --help
            --version --json' -- "$cur")
        ;;
    esac
}

complete -F _clonedeck clonedeck
