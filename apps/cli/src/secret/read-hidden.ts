/** Reads one line from a terminal without showing it. Ctrl-C and the end of the input throw. */
export async function readHidden(
  input: NodeJS.ReadStream,
  write: (text: string) => void,
  question: string,
): Promise<string> {
  // Before the question, so that nothing that is typed in reply to it is shown.
  input.setRawMode(true);
  try {
    write(question);
    let line = '';
    for await (const chunk of input.setEncoding('utf8')) {
      for (const character of chunk as string) {
        if (character === '\r' || character === '\n') return line;
        if (character === '\u0003' || character === '\u0004') throw new Error('Nothing was stored.');
        line = character === '\u007f' ? line.slice(0, -1) : line + character;
      }
    }
    throw new Error('Nothing was stored.');
  } finally {
    input.setRawMode(false);
  }
}
