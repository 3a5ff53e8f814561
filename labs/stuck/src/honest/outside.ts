import {
  act,
  failedAct,
  drawPage,
  drawProse,
  read,
  createRounds,
  createTimes,
  fineRun,
  type RunKind,
  write,
} from '../labelled-run.js';
import { fetched, fetchFails, growingFile, moduleName, remote } from './honest-acts.js';

const unavailable = 'https://data.example.org answered 503 Service Unavailable.';
const noDuplicate = 'No duplicate.';

export const outside: readonly RunKind[] = [
  fineRun('asks a source for 25 different pages, each of which answers 503', () =>
    createTimes(25, (i) => [fetchFails(`https://data.example.org/${moduleName(i)}`, unavailable)]),
  ),
  fineRun('gets 40 pages', (roll) =>
    createTimes(40, (i) => [
      fetched(`https://docs.example.org/${moduleName(i)}`, i, drawProse(roll, 4), drawPage(roll)),
    ]),
  ),
  fineRun('pages through 50 pages of results', (roll) =>
    createTimes(50, (i) => [
      fetched(`https://shop.example.org/list?page=${i}`, i, `Articles, page ${i}`, drawPage(roll, 5)),
    ]),
  ),
  fineRun('verifies 45 citations, all of which are there', (roll) =>
    createTimes(45, (i) => {
      const quote = drawProse(roll, 9);
      return [
        act(
          'cite_web',
          { source: (i % 5) + 1, quote },
          JSON.stringify({ source: (i % 5) + 1, quote, lines: { from: i, to: i } }),
        ),
      ];
    }),
  ),
  fineRun('verifies 45 citations, a third of which are refused', (roll) =>
    createTimes(45, (i) => {
      const quote = drawProse(roll, 9);
      return i % 3 === 0
        ? [failedAct('cite_web', { source: 2, quote }, 'These words do not stand in sources/2.md.')]
        : [act('cite_web', { source: 2, quote }, JSON.stringify({ source: 2, quote, lines: { from: i, to: i } }))];
    }),
  ),
  fineRun('checks 40 links that are all dead', () => {
    const row = growingFile('output/dead.md');
    return createTimes(40, (i) => {
      const url = `https://old.example.com/${moduleName(i)}.html`;
      return i % 5 === 0
        ? [fetchFails(url, 'https://old.example.com answered 404 Not Found.'), row(`- up to ${url}: dead`)]
        : [fetchFails(url, 'https://old.example.com answered 404 Not Found.')];
    });
  }),
  fineRun('turns to another source whenever one answers 503', (roll) =>
    createRounds(20, (i) => [
      [fetchFails(`https://data.example.org/${moduleName(i)}`, unavailable)],
      [fetched(`https://mirror.example.net/${moduleName(i)}`, i, drawProse(roll, 4), drawPage(roll, 6))],
    ]),
  ),
  fineRun('comes back to a page that answers 503 after other work, until it is there', (roll) => [
    ...createRounds(5, (round) => [
      [fetchFails('https://data.example.org/report.pdf', unavailable)],
      ...createTimes(6, (i) => [read(`sources/${round * 6 + i}.md`, drawPage(roll, 6))]),
      [write(`output/part-${round}.md`, drawPage(roll, 6))],
    ]),
    [fetched('https://data.example.org/report.pdf', 40, 'Report', drawPage(roll))],
  ]),
  fineRun('asks 14 mirrors for one file', (roll) => [
    ...createTimes(13, (i) => [
      fetchFails(
        `https://${moduleName(i)}.example.net/pub/archive.tar`,
        `https://${moduleName(i)}.example.net answered 503 Service Unavailable.`,
      ),
    ]),
    [fetched('https://last.example.net/pub/archive.tar', 1, 'archive.tar', drawPage(roll))],
  ]),
  fineRun('meets the same wall of cookies on 24 sites', () =>
    createTimes(24, (i) => [
      fetched(
        `https://${moduleName(i)}.example.com/about`,
        i,
        'Before you continue',
        'Accept all cookies to continue.',
      ),
    ]),
  ),
  fineRun('asks for the orders of 35 customers, none of whom has any', () =>
    createTimes(35, (i) => [remote('mcp__shop__list_orders', { customer: 1_000 + i }, '{"orders":[],"next":null}')]),
  ),
  fineRun('goes through 60 tickets of a tracker', (roll) =>
    createTimes(60, (i) => [
      remote('mcp__tracker__get_issue', { id: `OPS-${i}` }, `OPS-${i}: ${drawProse(roll, 8)}\nstatus: open`),
    ]),
  ),
  fineRun('follows a cursor through 40 pages', (roll) => {
    let cursor = 'start';
    return createTimes(40, () => {
      const next = `c${roll.between(100_000, 999_999)}`;
      const turn = [remote('mcp__tracker__list_issues', { cursor }, `${drawPage(roll, 3)}\nnext: ${next}`)];
      cursor = next;
      return turn;
    });
  }),
  fineRun('fills 60 cells of a sheet', (roll) =>
    createTimes(60, (i) => [remote('mcp__sheets__set_cell', { cell: `B${i + 1}`, value: roll.between(1, 500) }, 'ok')]),
  ),
  fineRun('opens 30 tickets', (roll) =>
    createTimes(30, () => [
      act('mcp__tracker__create_issue', { title: drawProse(roll, 6) }, 'Created.', { effect: 'once' }),
    ]),
  ),
  fineRun('sorts 100 pictures, most of which are nothing special', (roll) =>
    createTimes(100, (i) => [
      remote(
        'mcp__vision__classify',
        { image: `img/${i}.jpg` },
        roll.happens(0.1) ? 'category: receipt' : 'category: other',
      ),
    ]),
  ),
  fineRun('asks eight questions per step for 15 steps', () =>
    createTimes(15, (step) =>
      createTimes(8, (i) => remote('mcp__crm__has_consent', { customer: `${moduleName(step)}-${i}` }, 'no')),
    ),
  ),
  fineRun('extracts 30 documents', () =>
    createTimes(30, (i) => [
      remote(
        'extract_document_text',
        { path: `documents/${moduleName(i)}.pdf` },
        `Wrote work/extracted/${moduleName(i)}.json: 12 pages, 88 blocks.`,
      ),
    ]),
  ),
  fineRun('looks for requirements in 25 documents that hold none', () =>
    createTimes(25, (i) => [
      remote(
        'identify_requirement_candidates',
        { path: `work/extracted/${moduleName(i)}.json` },
        'No sentence carries an obligation: 0 candidates.',
      ),
    ]),
  ),
  fineRun('corrects 20 quotations that were refused at first', (roll) =>
    createRounds(20, () => {
      const quote = drawProse(roll, 12);
      const shorter = quote.split(' ').slice(0, 8).join(' ');
      return [
        [
          failedAct(
            'cite_document',
            { path: 'documents/spec.pdf', quote },
            'These words do not stand in documents/spec.pdf.',
          ),
        ],
        [remote('cite_document', { path: 'documents/spec.pdf', quote: shorter }, `page 4: "${shorter}"`)],
      ];
    }),
  ),
  fineRun('takes one requirement after the other and judges it', (roll) =>
    createRounds(30, (i) => [
      [remote('claim_requirements_from_cache', { count: 1 }, `entry ${i}, token t${i}: ${drawProse(roll, 10)}`)],
      [remote('mark_cached_requirement', { entry: i, token: `t${i}`, outcome: 'done' }, 'Marked.')],
    ]),
  ),
  fineRun('makes sure of 60 requirements that none is there twice, and adds each', (roll) =>
    createTimes(60, (i) => {
      const text = drawProse(roll, 10);
      return [
        remote('check_for_duplicates', { text }, noDuplicate),
        remote('create_requirement_node', { rid: `R-${i}`, text }, `R-${i} is in the graph.`),
      ];
    }),
  ),
  fineRun('makes sure of 40 requirements that none is there twice, before it adds any', (roll) =>
    createTimes(40, () => [remote('check_for_duplicates', { text: drawProse(roll, 10) }, noDuplicate)]),
  ),
  fineRun('counts the graph after every third node', (roll) =>
    createRounds(20, (i) => [
      ...createTimes(3, (k) => [
        remote(
          'create_requirement_node',
          { rid: `R-${i}-${k}`, text: drawProse(roll, 9) },
          `R-${i}-${k} is in the graph.`,
        ),
      ]),
      [remote('count_graph_statistics', {}, `Requirement: ${i * 3}`)],
    ]),
  ),
  fineRun('checks the whole graph after each of 18 repairs', () =>
    createRounds(18, (i) => [
      [
        remote(
          'execute_cypher_update',
          { query: `MATCH (n {key: 'K${i}'}) SET n.name = '${moduleName(i)}'` },
          '1 property was set.',
        ),
      ],
      [remote('validate_schema_compliance', {}, i === 18 ? 'Nothing is wrong.' : `${18 - i} nodes have no name.`)],
    ]),
  ),
];
