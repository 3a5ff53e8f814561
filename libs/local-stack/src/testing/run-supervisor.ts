/** A process for specs that supervises two dummy services, prints their pids, and waits to be killed. */
import { freePort } from '../process/free-port.js';
import { superviseServices } from '../supervisor/supervise-services.js';
import { dummyService } from './dummy-spec.js';

const supervision = await superviseServices(
  [dummyService('one', await freePort()), dummyService('two', await freePort())],
  { logDirectory: process.argv[2]! },
);
console.log(JSON.stringify({ pids: supervision.status().map(({ pid }) => pid) }));
