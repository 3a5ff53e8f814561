// Uses a working folder for a spec that kills this process. Arguments: the root, and the moment at which it waits to be killed.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DiskFolders } from './disk-folders.js';
import { buildFolderRequest, createLog } from './folder-request.fixture.js';

const [, , root, moment] = process.argv;
const waitToBeKilled = (): Promise<never> => {
  process.stdout.write('waiting\n');
  return new Promise(() => setInterval(() => {}, 1_000));
};

const log = createLog({ 'a.txt': 'one', 'b.txt': 'two' });
const read = log.read.bind(log);
if (moment === 'build') log.read = (path) => (path === 'b.txt' ? waitToBeKilled() : read(path));

await new DiskFolders(root!).use(buildFolderRequest(log), async ({ folder, takeIn }) => {
  writeFileSync(join(folder, 'a.txt'), 'hal');
  writeFileSync(join(folder, 'new.txt'), 'half of a fi');
  rmSync(join(folder, 'b.txt'));
  if (moment === 'command') await waitToBeKilled();
  await takeIn();
  if (moment === 'taken-in') await waitToBeKilled();
});
await waitToBeKilled();
