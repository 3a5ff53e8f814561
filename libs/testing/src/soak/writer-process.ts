import { leaveBehind, writeHere, type WriterRun } from './run-writer.js';

/** One writer as a process of its own: `writer-process <json>`. Says how far it is on its standard output, a number a line. */
const options = JSON.parse(process.argv[2]!) as WriterRun;
const result = await writeHere({ ...options, onProgress: (commands) => process.stdout.write(`${commands}\n`) });
await leaveBehind(result, options.journal);
