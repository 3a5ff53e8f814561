import { startTailInProcess } from './soak-processes.js';

/** Runs one replica that updates the read models: `tail-process <database url>`. Exits on SIGTERM. */
const replica = await startTailInProcess(process.argv[2]!);
process.once('SIGTERM', () => void replica.end(false));
