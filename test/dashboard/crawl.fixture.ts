import type { Page, Request } from 'playwright-core';

/** A response of the server to a page. */
interface SeenResponse {
  /** Path and query. */
  readonly path: string;
  readonly status: number;
  readonly body: string;
}

/** What one screen showed: at its address, and after each tab and each fold was opened. */
interface SeenScreen {
  readonly path: string;
  /** The whole document as HTML, with titles and labels that are not drawn. */
  readonly html: string;
  /** Whether the screen has no content but notices. */
  readonly isOnlyNotice: boolean;
  /** Names of its buttons, and of links that look like buttons. */
  readonly controls: readonly string[];
  /** Addresses of the same server to which it links. */
  readonly links: readonly string[];
}

export interface Crawl {
  readonly screens: readonly SeenScreen[];
  readonly responses: readonly SeenResponse[];
  /** Paths of the links in the navigation beside the screens. */
  readonly navigation: readonly string[];
}

/** Links that the server answers with other documents than the pages. */
const DOCUMENTS = /^\/(?:docs|health|metrics|login|signed-in|v1\/|openapi)/;

/** Tabs within a screen, and entries of the inbox. Of the events of a job, the panels show the last one. */
const OPENABLE = '[role=tab], .inbox-list [role=option]';

const READ_SCREEN = `(() => {
  const main = document.querySelector('main');
  const rest = main ? main.cloneNode(true) : document.createElement('main');
  for (const part of rest.querySelectorAll('h1, nav, .page-head, .notice')) part.remove();
  const nameOf = (element) => (element.getAttribute('aria-label') ?? element.textContent).trim();
  const readLinks = (root) => [...root.querySelectorAll('a[href]')].map(({ href }) => new URL(href))
    .filter(({ origin }) => origin === location.origin).map(({ pathname, search }) => pathname + search);
  return {
    path: location.pathname + location.search,
    html: document.documentElement.outerHTML,
    text: document.body.innerText,
    isOnlyNotice: rest.textContent.trim() === '' && main?.querySelector('.notice') != null,
    controls: [...document.querySelectorAll('button:not([role]), a.button')].map(nameOf),
    links: readLinks(document),
    navigation: readLinks(document.querySelector('nav[aria-label="Screens"]') ?? document.createElement('nav')),
    openable: document.querySelectorAll('${OPENABLE}').length,
  };
})()`;

interface ReadScreen extends SeenScreen {
  readonly text: string;
  readonly navigation: readonly string[];
  readonly openable: number;
}

const OPEN_FOLDS = "for (const fold of document.querySelectorAll('details:not([open]) > summary')) fold.click()";
const openNth = (nth: number): string => `document.querySelectorAll('${OPENABLE}')[${nth}]?.click()`;

/** Follows every link that the pages offer, from the first screen, and opens each tab, entry and fold. Throws if a screen does not finish loading. */
export async function crawl(page: Page): Promise<Crawl> {
  const recorder = recordResponses(page);
  const screens: SeenScreen[] = [];
  const documents: SeenResponse[] = [];
  const waiting: string[] = [];
  const known = new Set<string>(['/']);
  let navigation: readonly string[] = [];
  const see = (screen: ReadScreen): void => {
    screens.push(screen);
    navigation = screen.navigation;
    for (const link of screen.links.map(removeViews).filter((one) => !known.has(one))) {
      known.add(link);
      waiting.push(link);
    }
  };
  await page.goto('/');
  for (const screen of await openScreen(page, recorder)) see(screen);
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    if (DOCUMENTS.test(path)) {
      documents.push(await readDocument(page, path));
      continue;
    }
    await navigate(page, path);
    for (const screen of await openScreen(page, recorder)) see(screen);
  }
  return { screens, responses: [...(await recorder.finish()), ...documents], navigation };
}

/** Opens addresses that no page offered, as a person who types them, and follows no link. */
export async function visit(page: Page, paths: readonly string[]): Promise<Pick<Crawl, 'screens' | 'responses'>> {
  const recorder = recordResponses(page);
  const screens: SeenScreen[] = [];
  for (const path of paths) {
    await navigate(page, path);
    screens.push(await settle(page, recorder));
  }
  return { screens, responses: await recorder.finish() };
}

/** Opens an address without a new document, as a click on a link does; that is several times faster. */
async function navigate(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`);
}

/** Removes from an address which event, panel or entry is open: `openScreen` opens them all. */
function removeViews(link: string): string {
  const [path = '', search = ''] = link.split('?');
  const params = new URLSearchParams(search);
  for (const name of ['at', 'panel', 'entry']) params.delete(name);
  return params.size === 0 ? path : `${path}?${params.toString()}`;
}

/** Reads the screen as it is, and again after opening each of its tabs and entries. */
async function openScreen(page: Page, recorder: Recorder): Promise<readonly ReadScreen[]> {
  const first = await settle(page, recorder);
  const read = [first];
  for (let nth = 0; nth < first.openable; nth += 1) {
    await page.evaluate(openNth(nth));
    read.push(await settle(page, recorder));
  }
  return read;
}

/** Waits until the screen has loaded everything, opens its folds, and reads it. */
async function settle(page: Page, recorder: Recorder): Promise<ReadScreen> {
  const deadline = Date.now() + 20_000;
  await page.evaluate(OPEN_FOLDS);
  for (let quiet = 0; Date.now() < deadline;) {
    await page.waitForTimeout(30);
    quiet = recorder.pending() === 0 ? quiet + 1 : 0;
    if (quiet < 3) continue;
    const screen: ReadScreen = await page.evaluate(READ_SCREEN);
    if (screen.html.includes('<h1') && !screen.text.includes('Loading…')) return screen;
  }
  throw new Error(`${page.url()} did not finish loading; ${recorder.pending()} requests are open`);
}

async function readDocument(page: Page, path: string): Promise<SeenResponse> {
  const response = await page.context().request.get(path, { maxRedirects: 0 });
  return { path, status: response.status(), body: await response.text() };
}

interface Recorder {
  /** Number of requests that wait for their response. */
  readonly pending: () => number;
  readonly finish: () => Promise<readonly SeenResponse[]>;
}

function isRead(request: Request): boolean {
  const { pathname } = new URL(request.url());
  return pathname.startsWith('/v1/') && pathname !== '/v1/live';
}

/** Records the responses to the requests of a page, except files of the pages themselves. */
function recordResponses(page: Page): Recorder {
  const reads: Promise<SeenResponse>[] = [];
  const pending = new Set<Request>();
  // The end of the request for the script of a worker is not reported.
  page.on('request', (request) => isRead(request) && pending.add(request));
  page.on('requestfinished', (request) => pending.delete(request));
  page.on('requestfailed', (request) => pending.delete(request));
  page.on('response', (response) => {
    const { pathname, search } = new URL(response.url());
    if (pathname.startsWith('/assets/')) return;
    const body = response.text().catch(() => '');
    reads.push(body.then((text) => ({ path: `${pathname}${search}`, status: response.status(), body: text })));
  });
  return { pending: () => pending.size, finish: () => Promise.all(reads) };
}
