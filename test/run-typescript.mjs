/**
 * Lets Node run a spec's helper process from its source, so that it can never be an outdated build:
 *   node --experimental-transform-types --conditions=@phaseline/source --import <this file> helper.ts
 * Node strips the types itself; this file resolves `./x.js` in a source to `./x.ts`. Decorators are not supported.
 */
import { existsSync } from 'node:fs';
import { enableCompileCache, registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

// Many specs start many processes. Caching the compiled sources halves the start-up time of each further process.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/node-compile', import.meta.url)));

registerHooks({
  resolve(specifier, context, next) {
    if (/^\.{1,2}\/.*\.js$/.test(specifier) && context.parentURL?.endsWith('.ts')) {
      const source = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
      if (existsSync(fileURLToPath(source))) return next(source.href, context);
    }
    return next(specifier, context);
  },
});
