# Completion of pmpp-run for bash. The build adds the tables of the program.
# shellcheck shell=bash disable=SC2016,SC2046,SC2086,SC2154 # words are split; TABLES has the lists

# TABLES

# The words of `described`, without their texts.
_pmpp_run_words() {
	local line
	while IFS= read -r line; do
		echo "${line%%:*}"
	done < <(_pmpp_run_described "$1")
}

# Adds the words from $3 on that begin with $2 to COMPREPLY, with $1 before each.
_pmpp_run_add() {
	local lead=$1 begin=$2 word
	shift 2
	for word in "$@"; do
		[[ $word == "$begin"* ]] && COMPREPLY+=("$lead$word")
	done
}

# Adds files (-f) or folders (-d) that begin with $3, with $2 before each. A folder ends in a slash.
_pmpp_run_add_files() {
	local path
	while IFS= read -r path; do
		[[ -d $path ]] && path+=/
		COMPREPLY+=("$2$path")
	done < <(compgen "$1" -- "$3")
}

# Adds values of the option $1 that begin with $3, with $2 before each.
_pmpp_run_add_values() {
	local lead=$2 begin=$3 part
	case $(_pmpp_run_kind "$1") in
	*files)
		if [[ $1 == --in || $1 == --out ]]; then # NAME=FILE
			[[ $begin == *=* ]] || return
			lead+=${begin%%=*}=
			begin=${begin#*=}
		fi
		_pmpp_run_add_files -f "$lead" "$begin"
		;;
	*folders) _pmpp_run_add_files -d "$lead" "$begin" ;;
	*)
		part=${begin##*,}
		_pmpp_run_add "$lead${begin%"$part"}" "$part" $(_pmpp_run_values "$1" "$command")
		;;
	esac
}

# Adds arguments of the command $1 that begin with $2.
_pmpp_run_add_arguments() {
	local kind
	kind=$(_pmpp_run_arguments "$1")
	case $kind in
	variants)
		if [[ $2 == */* || " $_pmpp_run_families " == *" $2 "* ]]; then
			_pmpp_run_add '' "$2" $_pmpp_run_variants
		elif [[ $kind == variants || $2 ]]; then
			_pmpp_run_add '' "$2" $_pmpp_run_families
		fi
		;;
	esac
	case $kind in
	files) _pmpp_run_add_files -f '' "$2" ;;
	esac
}

# Sets `command` and `value` (the option whose value the next word is) from the words before.
_pmpp_run_read() {
	local word
	for word in "$@"; do
		if [[ $value ]]; then
			value=
		elif [[ $word == -* ]]; then
			case $(_pmpp_run_kind "$word") in
			files | folders | words) value=$word ;;
			esac
		elif [[ ! $command ]]; then
			command=$word
			# A family as the first word is an argument of `run`.
			[[ $(_pmpp_run_described "$word") ]] || command=run
		elif [[ $command == model || $command == store ]]; then
			command+=" $word"
		fi
	done
}

_pmpp_run() {
	local IFS=$' \t\n' line=${COMP_LINE:0:COMP_POINT} words=() command='' value='' cur skip='' mark start
	# COMP_WORDS is split at = and : too.
	read -ra words <<<"$line"
	[[ $line == *[[:space:]] ]] && words+=('')
	cur=${words[${#words[@]} - 1]}
	_pmpp_run_read "${words[@]:1:${#words[@]} - 2}"
	COMPREPLY=()
	if [[ $value ]]; then
		_pmpp_run_add_values "$value" '' "$cur"
	elif [[ $cur == --*=* ]]; then
		_pmpp_run_add_values "${cur%%=*}" "${cur%%=*}=" "${cur#*=}"
	elif [[ $cur == -* ]]; then
		_pmpp_run_add '' "$cur" $(_pmpp_run_words "${command:-run}")
	elif [[ ! $command || $command == model || $command == store ]]; then
		[[ $cur == */* ]] || _pmpp_run_add '' "$cur" $(_pmpp_run_words "$command")
		[[ $command ]] || _pmpp_run_add_arguments run "$cur"
	else
		_pmpp_run_add_arguments "$command" "$cur"
	fi
	[[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[=/] ]] && compopt -o nospace 2>/dev/null
	# bash replaces only what follows the last = or :, so the answers begin there.
	for mark in = :; do
		[[ $COMP_WORDBREAKS == *$mark* && $cur == *$mark* ]] || continue
		start=${cur%"${cur##*"$mark"}"}
		((${#start} > ${#skip})) && skip=$start
	done
	COMPREPLY=("${COMPREPLY[@]#"$skip"}")
	return 0
}

complete -F _pmpp_run pmpp-run
