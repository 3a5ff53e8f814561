import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import type { ShownJobs, TabKind } from './tab-kinds.js';
import { waitUntilShown } from './act-in-tab.js';
import { openTabSession } from './read-tab-figures.js';

export interface OpenTab {
  readonly kind: TabKind;
  readonly page: Page;
  readonly session: CDPSession;
}

export interface OpenTabs {
  readonly tabs: readonly OpenTab[];
  /** Uncaught errors of the pages. */
  readonly errors: readonly string[];
  readonly context: BrowserContext;
}

/** Opens a tab of each kind in one context, so that they share what tabs of one browser share. */
export async function openTabs(
  browser: Browser,
  url: string,
  kinds: readonly TabKind[],
  jobs: ShownJobs,
): Promise<OpenTabs> {
  const context = await browser.newContext({
    ...{ baseURL: url, viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' },
  });
  context.setDefaultTimeout(60_000);
  const errors: string[] = [];
  const tabs: OpenTab[] = [];
  for (const kind of kinds) {
    const page = await context.newPage();
    page.on('pageerror', (error) => errors.push(`${kind.name}: ${error.message}`));
    await page.goto(kind.home(jobs));
    await waitUntilShown(page);
    tabs.push({ kind, page, session: await openTabSession(page) });
  }
  return { tabs, errors, context };
}
