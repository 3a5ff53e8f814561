import { describe, expect, it } from 'vitest';
import { OWN_TOOLS, groupTools } from './tool-categories.js';

describe('groupTools', () => {
  it('groups tools by server in order, and tools without a server as one category', () => {
    const categories = groupTools(['mcp__hub__get_issue', 'mail_letter', 'mcp__mail__send', 'mcp__hub__list_issues']);
    expect(categories.map(({ name, tools }) => [name, tools.map(({ short }) => short)])).toEqual([
      ['hub', ['get_issue', 'list_issues']],
      [OWN_TOOLS, ['mail_letter']],
      ['mail', ['send']],
    ]);
    expect(categories[0]!.tools.map(({ name }) => name)).toEqual(['mcp__hub__get_issue', 'mcp__hub__list_issues']);
  });

  it('returns at most four distinguishing topics, with singular and plural as one word', () => {
    const [hub, wiki] = groupTools([
      ...['list_issues', 'getIssue', 'create-issue', 'get_branch', 'merge_branches'].map((name) => `mcp__hub__${name}`),
      ...['list_pages', 'get_page', 'create_page', 'get_of_x'].map((name) => `mcp__wiki__${name}`),
    ]);
    expect(hub!.topics).toEqual(['issues', 'branch', 'get', 'merge']);
    expect(wiki!.topics).toEqual(['pages', 'get', 'list', 'create']);
  });

  it('does not repeat the name of the server as a topic', () => {
    expect(groupTools(['mcp__slack__slack_post_message'])[0]!.topics).toEqual(['post', 'message']);
  });

  it('returns no category for no tools, and accepts names without letters', () => {
    expect(groupTools([])).toEqual([]);
    expect(groupTools(['mcp__x__1_2'])).toEqual([
      { name: 'x', tools: [{ name: 'mcp__x__1_2', short: '1_2' }], topics: [] },
    ]);
  });
});
