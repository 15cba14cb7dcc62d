#compdef pmpp-run
# Completion of pmpp-run for zsh. The build adds the tables of the program.

# TABLES

# Adds the words of `described` for the command $1: those with a value without a blank after them.
_pmpp_run_add_described() {
	local -a all plain valued
	all=("${(@f)$(_pmpp_run_described "$1")}")
	valued=(${(M)all:#[^:]##=:*})
	plain=(${all:|valued})
	(($#plain)) && _describe "$2" plain
	(($#valued)) && _describe "$2" valued -S ''
}

# Adds values of the option $1. What is before the value is in IPREFIX.
_pmpp_run_add_values() {
	local -a found
	case $(_pmpp_run_kind $1) in
	*files)
		if [[ $1 == --in || $1 == --out ]]; then # NAME=FILE
			compset -P '*=' || return
		fi
		_files
		;;
	*folders) _files -/ ;;
	*)
		compset -P '*,'
		found=(${=$(_pmpp_run_values $1 "$command")})
		compadd -S '' -a found
		;;
	esac
}

# Adds arguments of the command $1.
_pmpp_run_add_arguments() {
	local -a found
	case $(_pmpp_run_arguments $1) in
	variants)
		found=(${=_pmpp_run_variants})
		_multi_parts / found
		;;
	esac
	case $(_pmpp_run_arguments $1) in
	files) _files ;;
	esac
}

# Sets `command` and `value` (the option whose value the next word is) from the words before.
_pmpp_run_read() {
	local word
	for word in "$@"; do
		if [[ -n $value ]]; then
			value=
		elif [[ $word == -* ]]; then
			case $(_pmpp_run_kind $word) in
			files | folders | words) value=$word ;;
			esac
		elif [[ -z $command ]]; then
			command=$word
			# A family as the first word is an argument of `run`.
			[[ -n $(_pmpp_run_described $word) ]] || command=run
		elif [[ $command == model || $command == store ]]; then
			command+=" $word"
		fi
	done
}

_pmpp_run() {
	setopt localoptions extendedglob
	local command= value= option
	_pmpp_run_read "${(@)words[2,CURRENT-1]}"
	if [[ -n $value ]]; then
		_pmpp_run_add_values $value
	elif [[ $PREFIX == --*=* ]]; then
		option=${PREFIX%%=*}
		compset -P 1 '*='
		_pmpp_run_add_values $option
	elif [[ $PREFIX == -* ]]; then
		_pmpp_run_add_described "${command:-run}" option
	elif [[ -z $command || $command == model || $command == store ]]; then
		_pmpp_run_add_described "$command" command
		[[ -n $command ]] || _pmpp_run_add_arguments run
	else
		_pmpp_run_add_arguments $command
	fi
}

if [[ $funcstack[1] == _pmpp-run ]]; then
	_pmpp_run "$@"
else
	compdef _pmpp_run pmpp-run
fi
