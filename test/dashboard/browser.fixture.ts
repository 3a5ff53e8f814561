import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import AxeBuilder from '@axe-core/playwright';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { expect } from 'vitest';

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const PICTURES = join(import.meta.dirname, '../../docs/pictures/dashboard');

/** Rules of WCAG 2.2, levels A and AA. */
const AXE_TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** Runs in the browser before anything else. Nothing but this event shows what the content security policy prevented. */
const REPORT_VIOLATIONS =
  "document.addEventListener('securitypolicyviolation', (e) => reportViolation(e.violatedDirective + ' ' + e.blockedURI))";

/** Errors of a page that no test may ignore: violations of the content security policy, uncaught errors, failed requests. */
type PageProblems = readonly string[];

export interface DashboardPage {
  readonly page: Page;
  /** Opens an address of the dashboard, such as `/jobs`. */
  open(path: string): Promise<void>;
  /** Expects that axe finds nothing, in the light and in the dark theme. */
  expectAccessible(): Promise<void>;
  /** Writes a picture for the docs if PHASELINE_PICTURES is set. */
  takePicture(name: string): Promise<void>;
  readonly problems: PageProblems;
}

export interface DashboardBrowser {
  readonly browser: Browser;
  /** Opens a new window of a person, with own cookies. */
  openWindow(options?: { readonly theme?: 'light' | 'dark' }): Promise<DashboardPage>;
  close(): Promise<void>;
}

/** Starts Chromium for the pages of a server. */
export async function startBrowser(baseUrl: string): Promise<DashboardBrowser> {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  return {
    browser,
    openWindow: async ({ theme = 'light' } = {}) => {
      const context = await browser.newContext({
        ...{ baseURL: baseUrl, viewport: { width: 1440, height: 900 }, colorScheme: theme, timezoneId: 'UTC' },
        reducedMotion: 'reduce',
      });
      context.setDefaultTimeout(20_000);
      return openPage(context);
    },
    close: () => browser.close(),
  };
}

async function openPage(context: BrowserContext): Promise<DashboardPage> {
  const page = await context.newPage();
  const problems: string[] = [];
  await page.exposeFunction('reportViolation', (text: string) => problems.push(`policy: ${text}`));
  await page.addInitScript(REPORT_VIOLATIONS);
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
  page.on('console', (message) => {
    // The browser reports each refused or cut request; the pages show those to the person.
    if (message.type() === 'error' && !/Failed to load resource|ERR_INCOMPLETE_CHUNKED/.test(message.text()))
      problems.push(`console: ${message.text()}`);
  });
  return {
    page,
    problems,
    open: async (path) => {
      await page.goto(path);
      await page.waitForSelector('h1');
    },
    expectAccessible: () => expectAccessible(page),
    takePicture: (name) => takePicture(page, name),
  };
}

async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const { violations } = await new AxeBuilder({ page }).withTags(AXE_TAGS).analyze();
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
    expect(found, `${page.url()} in the ${colorScheme} theme`).toEqual([]);
  }
}

async function takePicture(page: Page, name: string): Promise<void> {
  if (process.env['PHASELINE_PICTURES'] === undefined) return;
  const path = join(PICTURES, `${name}.png`);
  await mkdir(dirname(path), { recursive: true });
  await page.screenshot({ path, animations: 'disabled' });
}
