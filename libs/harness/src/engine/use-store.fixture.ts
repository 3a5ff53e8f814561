import { afterAll, beforeAll } from 'vitest';
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
