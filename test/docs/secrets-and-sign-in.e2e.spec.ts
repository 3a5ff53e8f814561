import { describe, expect, it } from 'vitest';
import { findReaders, followPage } from './follow-page.js';

describe.each(findReaders('secrets-and-sign-in'))('as %s', { timeout: 800_000 }, (user) => {
  it('the page of secrets can be followed', async () => {
    const [stored, removed, withHosts] = await followPage('docs/how-to/secrets.md', { as: user });
    expect(stored!.output).toMatch(
      /Stored TRACKER_TOKEN of tenant default, for every agent\.[^]*TRACKER_TOKEN +every agent/,
    );
    expect(stored!.output).not.toContain('a-token-of-an-issue-tracker');
    expect(removed!.output).toMatch(/Removed TRACKER_TOKEN of tenant default, for every agent\.$/);
    expect(withHosts!.output).toContain(
      'Stored GIT_TOKEN of tenant default, for every agent, and for repositories on git.example.org:8443, github.com.',
    );
  });

  it('the page of the sign-in can be followed', async () => {
    const [printed, linked, unlinked] = await followPage('docs/how-to/sign-in.md', { as: user });
    expect(printed!.output).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/login#pll_[\w-]{43}$/);
    expect(linked!.output).toMatch(
      /account 10769150350006150715113082367 of https:\/\/login\.example\.org, linked by /,
    );
    expect(unlinked!.output).not.toContain('account 1076');
  });
});
