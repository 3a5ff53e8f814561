import { afterAll, beforeAll } from 'vitest';
import { Engine, type EngineOptions, type Policy } from './engine.js';
import { openStore, type OpenStore } from './open-store.js';

/** Opens a log on a fresh database for the tests of a spec file, and closes it after them. */
export function useStore(): Pick<OpenStore, 'store' | 'url'> {
  let opened: OpenStore;
  beforeAll(async () => {
    opened = await openStore();
  });
  afterAll(() => opened.close());
  return {
    get store() {
      return opened.store;
    },
    get url() {
      return opened.url;
    },
  };
}

/** Opens a log like `useStore` and adds a function that creates an engine on it. */
export function useEngines() {
  const opened = useStore();
  const engine = (policy: Policy, options: Partial<EngineOptions> = {}) =>
    new Engine({ store: opened.store, policy, ...options });
  return { opened, engine };
}
