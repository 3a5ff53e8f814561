import type { SeededRandom } from '@phaseline/harness';
import type { Page } from 'playwright-core';
import type { ShownJobs, TabKind } from './tab-kinds.js';

/** Time in milliseconds for which a person looks at what they did. */
const LOOK_MS = 300;
/** A screen that no tab has as its own. */
const NEUTRAL_SCREEN = '/submit';
const SETTINGS = ['Principals', 'Keys', 'Tenants', 'Secrets', 'Retention and holds', 'About', 'Account'];

/** Does one thing in a tab, chosen at random, as a person would. The document stays the same. */
export async function actInTab(page: Page, kind: TabKind, jobs: ShownJobs, random: SeededRandom): Promise<void> {
  const roll = random.next();
  if (roll < 0.3) return visitScreen(page, random);
  if (roll < 0.5) return openAndCloseDialog(page);
  if (kind.extra === undefined || roll > 0.85) return goTo(page, kind.home(jobs));
  await extras[kind.extra](page, jobs, random);
}

/** Goes to a screen without loading the page again, and waits until it is shown. */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`);
  await waitUntilShown(page);
}

/** Waits until nothing is being loaded any more. Locators are used, because handles of elements would keep these alive. */
export async function waitUntilShown(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor();
  await page.getByText('Loading…').first().waitFor({ state: 'detached' });
}

/**
 * Shows the screen of a tab in the same way each time: after another screen, and with one dialog closed. The page keeps what was closed or left
 * last until it renders again, so without this, samples would differ by a dialog or a screen.
 */
export async function returnHome(page: Page, home: string): Promise<void> {
  const show = async (): Promise<void> => {
    await goTo(page, NEUTRAL_SCREEN);
    await goTo(page, home);
    await openAndCloseDialog(page);
  };
  // A dialog may be open, and on a busy machine a wait may be too short.
  await show().catch(async () => {
    await page.keyboard.press('Escape');
    await show();
  });
}

/** Visits a screen of the navigation. */
async function visitScreen(page: Page, random: SeededRandom): Promise<void> {
  const links = page.getByRole('navigation', { name: 'Screens' }).getByRole('link');
  await links.nth(random.between(0, (await links.count()) - 1)).click();
  await waitUntilShown(page);
}

/** Opens and closes the dialog to fork a job, where there is one, else the one to go to a screen. */
export async function openAndCloseDialog(page: Page): Promise<void> {
  const fork = page.getByRole('button', { name: 'Fork here' });
  if ((await fork.count()) > 0) await fork.click();
  else await page.keyboard.press('Control+k');
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  await page.waitForTimeout(LOOK_MS);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
}

type Extra = (page: Page, jobs: ShownJobs, random: SeededRandom) => Promise<void>;

const extras: Readonly<Record<NonNullable<TabKind['extra']>, Extra>> = {
  slider: async (page, { big }, random) => {
    await goTo(page, `/jobs/${big}`);
    await moveSlider(page, random);
  },
  live: async (page, { latest }, random) => {
    await goTo(page, `/jobs/${latest()}`);
    // Long enough for some text of the model.
    await page.waitForTimeout(5 * LOOK_MS);
    if (random.chance(0.5)) await moveSlider(page, random);
  },
  filter: async (page, _jobs, random) => {
    await goTo(page, '/jobs');
    await page.getByLabel('Agent', { exact: true }).selectOption(random.pick(['writer', 'asker']));
    await page.waitForTimeout(LOOK_MS);
    await page.getByRole('button', { name: 'Clear' }).click();
    await waitUntilShown(page);
  },
  entries: async (page, _jobs, random) => {
    await goTo(page, '/inbox');
    // The options of the filters are no entries.
    const entries = page.getByRole('listbox', { name: 'What waits for a person' }).getByRole('option');
    const count = await entries.count();
    // An entry may be answered meanwhile, so only those that stay are opened.
    if (count > 0) await entries.nth(random.between(0, Math.min(2, count - 1))).click();
    await waitUntilShown(page);
  },
  settings: async (page, _jobs, random) => {
    await goTo(page, '/settings');
    await page.getByRole('link', { name: random.pick(SETTINGS), exact: true }).click();
    await waitUntilShown(page);
  },
};

async function moveSlider(page: Page, random: SeededRandom): Promise<void> {
  const slider = page.getByRole('slider');
  await slider.waitFor();
  const box = await slider.boundingBox();
  if (!box) return;
  for (let move = 0; move < 3; move += 1) {
    await page.mouse.click(box.x + (random.between(20, 980) / 1_000) * box.width, box.y + 10);
    await page.waitForTimeout(LOOK_MS);
  }
}
