import { tailHere } from './soak-processes.js';

/** One replica that keeps the read models, as a process of its own: `tail-process <database url>`. Ends on SIGTERM. */
const replica = await tailHere(process.argv[2]!);
process.once('SIGTERM', () => void replica.end(false));
