// Imported by a process before everything else. Prints the path of each file that the process loads as a module, and at the end the modules of Node.
import { writeSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

registerHooks({
  load(url, context, next) {
    // Synchronous, because the process may exit at any time.
    if (url.startsWith('file:')) writeSync(1, `loads ${fileURLToPath(url)}\n`);
    return next(url, context);
  },
});

process.on('exit', () => {
  for (const name of process.moduleLoadList)
    if (name.startsWith('NativeModule ')) writeSync(1, `has loaded ${name.replace('NativeModule ', '')}\n`);
});
