import { saveWriterResult, runWriter, type WriterRun } from './run-writer.js';

/** Runs one writer: `writer-process <json>`. Prints its progress to standard output, one number per line. */
const options = JSON.parse(process.argv[2]!) as WriterRun;
const result = await runWriter({ ...options, onProgress: (commands) => process.stdout.write(`${commands}\n`) });
await saveWriterResult(result, options.journal);
