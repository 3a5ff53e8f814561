import { lazy, useState, type ComponentType } from 'react';

/** The code of a screen, as a module. */
interface ScreenModule {
  readonly default: ComponentType;
}

/**
 * A screen whose code is loaded when it is shown first, or before, by `load`. If it was loaded before, it is shown at once: React shows the
 * fallback of a component that has to wait for at least 300 ms, even if the code arrives after 20.
 */
export function loadOnDemand(importModule: () => Promise<ScreenModule>) {
  let loaded: ComponentType | undefined;
  const importScreen = async (): Promise<ScreenModule> => {
    const module = await importModule();
    loaded = module.default;
    return module;
  };
  const Lazy = lazy(importScreen);
  function Screen() {
    // Another component would be another screen, with a state of its own.
    const [Content] = useState(() => loaded ?? Lazy);
    return <Content />;
  }
  return {
    component: Screen,
    load: async (): Promise<void> => {
      // A failure is shown by the screen, which tries again when it is opened.
      await importScreen().catch(() => undefined);
    },
  };
}
