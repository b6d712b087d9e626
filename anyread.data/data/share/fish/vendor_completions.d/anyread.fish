# Completion of `anyread` in fish; made by `anyread completion fish`.

# Succeeds if one of the arguments is the command of the line; without one it is `read`.
function __anyread_command_is
    set -l words (commandline -opc)
    set -l command read
    if contains -- "$words[2]" read info mcp completion man
        set command $words[2]
    end
    contains -- $command $argv
end

function __anyread_is_first
    test (count (commandline -opc)) -eq 1
end

complete -c anyread -n '__anyread_command_is completion man mcp' -f
complete -c anyread -n __anyread_is_first -a read -d 'show a window of each file; the word can be left out'
complete -c anyread -n __anyread_is_first -a info -d 'describe each file'
complete -c anyread -n __anyread_is_first -a mcp -d 'serve a read tool over the Model Context Protocol'
complete -c anyread -n __anyread_is_first -a completion -d 'print a script that completes commands and options in a shell'
complete -c anyread -n __anyread_is_first -a man -d 'print the manual page'
complete -c anyread -n '__anyread_command_is read' -s h -l help -d 'show this help message and exit'
complete -c anyread -n '__anyread_command_is read' -l json -d 'print one JSON object per line for each file'
complete -c anyread -n '__anyread_command_is read' -l root -d 'refuse files outside this directory' -x -a '(__fish_complete_directories)'
complete -c anyread -n '__anyread_command_is read' -l deny -d 'files to refuse' -x -a 'secrets'
complete -c anyread -n '__anyread_command_is read' -s q -l quiet -d 'leave out footers, notices and progress bars'
complete -c anyread -n '__anyread_command_is read' -l color -d 'use colors' -x -a 'auto always never'
complete -c anyread -n '__anyread_command_is read' -l offset -d 'first line' -x
complete -c anyread -n '__anyread_command_is read' -l tail -d 'the last N lines' -x
complete -c anyread -n '__anyread_command_is read' -s f -l follow -d 'show what is appended until Ctrl-C'
complete -c anyread -n '__anyread_command_is read' -l limit -d 'number of lines' -x
complete -c anyread -n '__anyread_command_is read' -l column -d 'first character of the first line or PDF page, to continue inside a long one' -x
complete -c anyread -n '__anyread_command_is read' -l pages -d 'pages of a PDF or a TIFF' -x
complete -c anyread -n '__anyread_command_is read' -l region -d 'part of an image' -x
complete -c anyread -n '__anyread_command_is read' -l max-tokens -d 'maximum tokens of text, estimated' -x
complete -c anyread -n '__anyread_command_is read' -l exact-total -d 'count the lines of huge files too'
complete -c anyread -n '__anyread_command_is read' -l encoding -d 'encoding of a text file, if the detected one is wrong' -x -a 'utf-8 utf-16 cp1252 latin-1 shift_jis euc_jp gbk big5 koi8-r'
complete -c anyread -n '__anyread_command_is read' -l kind -d 'read the file as "text", "image", "pdf", "notebook" or a media type' -x -a 'text image pdf notebook'
complete -c anyread -n '__anyread_command_is read' -l gutter -d 'format of line numbers' -x -a 'tab cat-n arrow colon pipe bar none'
complete -c anyread -n '__anyread_command_is read' -l images -d 'show images in the terminal' -x -a 'auto never kitty iterm sixel'
complete -c anyread -n '__anyread_command_is read' -l save -d 'write the images and documents that a model would see to new files in this directory' -x -a '(__fish_complete_directories)'
complete -c anyread -n '__anyread_command_is read' -l model -d 'what the model accepts' -x -a 'any anthropic openai gemini bedrock mcp text-only'
complete -c anyread -n '__anyread_command_is read' -l for -d 'print the content of a message to this API, as JSON' -x -a 'anthropic openai-responses openai-chat gemini bedrock mcp'
complete -c anyread -n '__anyread_command_is read' -l tool -d 'print what another agent\'s read tool answers' -x -a 'anyread claude-code mycode forge llm-gateway codelet pilotdeck opencode deepagents text-editor gemini-cli pi mcp-filesystem anthropic-toolset'
complete -c anyread -n '__anyread_command_is read' -l arguments -d 'the tool\'s own arguments as a JSON object without the path' -x
complete -c anyread -n '__anyread_command_is info' -s h -l help -d 'show this help message and exit'
complete -c anyread -n '__anyread_command_is info' -l json -d 'print one JSON object per line for each file'
complete -c anyread -n '__anyread_command_is info' -l root -d 'refuse files outside this directory' -x -a '(__fish_complete_directories)'
complete -c anyread -n '__anyread_command_is info' -l deny -d 'files to refuse' -x -a 'secrets'
complete -c anyread -n '__anyread_command_is info' -s q -l quiet -d 'leave out footers, notices and progress bars'
complete -c anyread -n '__anyread_command_is info' -l color -d 'use colors' -x -a 'auto always never'
complete -c anyread -n '__anyread_command_is info' -l sandbox -d 'describe what protects reads and decoders on this machine'
complete -c anyread -n '__anyread_command_is mcp' -s h -l help -d 'show this help message and exit'
complete -c anyread -n '__anyread_command_is mcp' -l root -d 'a directory that may be read' -x -a '(__fish_complete_directories)'
complete -c anyread -n '__anyread_command_is mcp' -l deny -d 'files to refuse' -x -a 'secrets'
complete -c anyread -n '__anyread_command_is mcp' -l tool -d 'the contract of the tool' -x -a 'anyread claude-code mycode forge llm-gateway codelet pilotdeck opencode deepagents text-editor gemini-cli pi mcp-filesystem anthropic-toolset'
complete -c anyread -n '__anyread_command_is mcp' -l model -d 'what the model accepts' -x -a 'any anthropic openai gemini bedrock mcp text-only'
complete -c anyread -n '__anyread_command_is mcp' -l pdf -d 'show PDFs as text and images' -x -a 'pages document'
complete -c anyread -n '__anyread_command_is mcp' -l host -d 'the host that connects, if it is google-adk or smolagents, which show no images' -x -a 'google-adk smolagents'
complete -c anyread -n '__anyread_command_is mcp' -l max-tokens -d 'maximum tokens per reply, estimated' -x
complete -c anyread -n '__anyread_command_is mcp' -l http -d 'serve over HTTP on this loopback address' -x
complete -c anyread -n '__anyread_command_is mcp' -l token-file -d 'a file with the token that HTTP requests must have' -x
complete -c anyread -n '__anyread_command_is completion' -a 'bash zsh fish'
complete -c anyread -n '__anyread_command_is completion' -s h -l help -d 'show this help message and exit'
complete -c anyread -n '__anyread_command_is man' -s h -l help -d 'show this help message and exit'
