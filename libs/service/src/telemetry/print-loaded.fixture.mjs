// Imported by a process before everything else. Prints the name of each package of OpenTelemetry that the process loads.
import { registerHooks } from 'node:module';

const names = new Set();

registerHooks({
  load(url, context, next) {
    const [, name] = /\/node_modules\/(@opentelemetry\/[^/]+)\//.exec(url) ?? [];
    if (name && !names.has(name)) {
      names.add(name);
      console.log(`loaded ${name}`);
    }
    return next(url, context);
  },
});
