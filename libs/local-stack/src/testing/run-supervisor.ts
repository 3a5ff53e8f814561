/** A process for specs that supervises two dummy services, prints their pids, and waits to be killed. */
import { findFreePort } from '../process/find-free-port.js';
import { superviseServices } from '../supervisor/supervise-services.js';
import { createDummySpec } from './dummy-spec.js';

const supervision = await superviseServices(
  [createDummySpec('one', await findFreePort()), createDummySpec('two', await findFreePort())],
  { logDirectory: process.argv[2]! },
);
console.log(JSON.stringify({ pids: supervision.status().map(({ pid }) => pid) }));
