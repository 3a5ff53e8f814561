import {
  act,
  command,
  drawProse,
  read,
  createRounds,
  createTimes,
  fineRun,
  write,
  type RunKind,
  run,
} from '../labelled-run.js';
import { editFile, growingFile, linesFile, moduleName } from './honest-acts.js';

const commit = (index: number): string => (0xabc_de1 * (index + 7)).toString(16).slice(0, 7);

export const commanding: readonly RunKind[] = [
  fineRun('runs the tests after each of 30 repairs, one failure less each time', (roll) => {
    const put = linesFile('src/parser.ts', 30, (i) => `// defect ${i}`);
    return createRounds(30, (i) => [
      [put(i, `check(${i});`)],
      [run(roll, 'npm', ['test'], `Tests ${31 - i} failed | ${170 + i} passed`, i === 30 ? 0 : 1)],
    ]);
  }),
  fineRun('repairs 20 tests that stop at the first failure, so that one fails each time', (roll) =>
    createRounds(20, (i) => [
      [editFile(`src/${moduleName(i)}.ts`, 'return 0', `return ${i}`, `export const ${moduleName(i)} = ${i};`)],
      [
        run(
          roll,
          'pytest',
          ['-x'],
          `FAILED tests/test_${moduleName(i + 1)}.py::test_value - AssertionError\n1 failed`,
          1,
        ),
      ],
    ]),
  ),
  fineRun('lints 50 files one by one and finds nothing in any', (roll) =>
    createTimes(50, (i) => [run(roll, 'eslint', [`src/${moduleName(i)}.ts`], '')]),
  ),
  fineRun('waits for a build that gets on by a few percent each time', (roll) =>
    createTimes(25, (i) => [run(roll, 'ci', ['status', '8812'], `running: ${i * 4} % done`)]),
  ),
  fineRun('waits until a queue has been worked off', (roll) =>
    createTimes(30, (i) => [
      run(roll, 'sleep', ['60'], ''),
      run(roll, 'queue-length', ['mail'], `${3_000 - i * 100} messages`),
    ]),
  ),
  fineRun('tries an upload again after pauses that grow, until it is taken', (roll) => [
    ...[5, 15, 45, 135].flatMap((seconds) => [
      [run(roll, 'upload', ['result.zip'], 'HTTP 503 Service Unavailable', 1)],
      [run(roll, 'sleep', [String(seconds)], '')],
    ]),
    [run(roll, 'upload', ['result.zip'], 'HTTP 201 Created')],
    ...createTimes(10, (i) => [read(`work/receipt-${i}.txt`, drawProse(roll))]),
  ]),
  fineRun('looks for the commit that broke a test by halving', (roll) => {
    let low = 0;
    let high = 4_096;
    const bad = roll.between(1, high);
    return createRounds(12, () => {
      const middle = Math.floor((low + high) / 2);
      const fails = middle >= bad;
      if (fails) high = middle;
      else low = middle;
      return [
        [run(roll, 'git', ['checkout', commit(middle)], `HEAD is now at ${commit(middle)}`)],
        [run(roll, 'npm', ['test', '--', 'login'], fails ? '1 failed' : '1 passed', fails ? 1 : 0)],
      ];
    });
  }),
  fineRun('compiles 40 modules, of which none has anything to say', (roll) =>
    createTimes(40, (i) => [run(roll, 'cc', ['-c', `${moduleName(i)}.c`, '-o', `${moduleName(i)}.o`], '')]),
  ),
  fineRun('measures 30 sizes of a buffer, all equally fast', (roll) =>
    createTimes(30, (i) => [run(roll, 'bench', ['--buffer', String(i * 64)], '1000 MB/s')]),
  ),
  fineRun('counts the rows of 50 tables, all empty', (roll) =>
    createTimes(50, (i) => [
      run(roll, 'psql', ['-c', `SELECT count(*) FROM ${moduleName(i)}`], ' count\n-------\n     0'),
    ]),
  ),
  fineRun('makes a preview of 40 pictures, four per step', (roll) =>
    createTimes(10, (step) =>
      createTimes(4, (i) =>
        run(roll, 'convert', [`img/${step}${i}.png`, '-resize', '10%', `small/${step}${i}.png`], ''),
      ),
    ),
  ),
  fineRun('goes through the history twenty entries at a time', (roll) =>
    createTimes(35, (i) => [
      run(roll, 'git', ['log', '--oneline', '-20', `--skip=${i * 20}`], `${commit(i)} ${drawProse(roll, 5)}`),
    ]),
  ),
  fineRun('asks 40 addresses of a service, all of which answer 200', (roll) =>
    createTimes(40, (i) => [
      run(
        roll,
        'curl',
        ['-s', '-o', '/dev/null', '-w', '%{http_code}', `http://localhost:3000/${moduleName(i)}`],
        '200',
      ),
    ]),
  ),
  fineRun('compares 45 pairs of files that do not differ', (roll) =>
    createTimes(45, (i) => [run(roll, 'diff', [`old/${moduleName(i)}.sql`, `new/${moduleName(i)}.sql`], '')]),
  ),
  fineRun('validates 60 documents, three per step', (roll) =>
    createTimes(20, (step) =>
      createTimes(3, (i) => run(roll, 'xmllint', ['--noout', `xml/invoice-${step * 3 + i}.xml`], `invoice validates`)),
    ),
  ),
  fineRun('runs a test with 30 seeds to find one that fails', (roll) =>
    createTimes(30, (i) => [run(roll, 'npm', ['test', '--', `--seed=${i}`], 'Tests 212 passed (212)')]),
  ),
  fineRun('runs each of 15 migrations up, down and up again', (roll) =>
    createRounds(15, (i) => [
      [run(roll, 'migrate', ['up', moduleName(i)], 'ok')],
      [run(roll, 'migrate', ['down', moduleName(i)], 'ok')],
      [run(roll, 'migrate', ['up', moduleName(i), '--again'], 'ok')],
    ]),
  ),
  fineRun('waits for a service to start with pauses that grow, then works with it', (roll) => [
    ...[1, 2, 4, 8].flatMap((seconds) => [
      [command(roll, `curl http://localhost:8080/health`, 7, 'Connection refused')],
      [command(roll, `sleep ${seconds}`, 0, '')],
    ]),
    [command(roll, `curl http://localhost:8080/health`, 0, 'ok')],
    ...createTimes(20, (i) => [
      command(roll, `curl http://localhost:8080/customers/${i}`, 0, `{"id":${i},"orders":[]}`),
    ]),
  ]),
  fineRun('repairs the same kind of complaint in 25 files, linting the whole after each', (roll) =>
    createRounds(25, (i) => [
      [editFile(`src/${moduleName(i)}.ts`, 'var ', 'const ', `const ${moduleName(i)} = 1;`)],
      [
        run(
          roll,
          'npm',
          ['run', 'lint'],
          i === 25 ? '' : `${25 - i} problems (${25 - i} errors, 0 warnings)`,
          i === 25 ? 0 : 1,
        ),
      ],
    ]),
  ),
  fineRun('formats 30 fixtures that come out as they were', (roll) =>
    createRounds(30, (i) => [
      [read(`fixtures/${moduleName(i)}.json`, `{ "name": "${moduleName(i)}" }`)],
      [
        run(
          roll,
          'prettier',
          ['--write', `fixtures/${moduleName(i)}.json`],
          `fixtures/${moduleName(i)}.json (unchanged)`,
        ),
      ],
    ]),
  ),
  fineRun('builds a program in small steps: a line of code, the compiler, a line of code', (roll) => {
    let text = '';
    return createRounds(35, (i) => {
      text += `step(${i}, '${drawProse(roll, 2)}');\n`;
      return [[write('src/main.ts', text)], [run(roll, 'tsc', ['--noEmit'], '')]];
    });
  }),
  fineRun('writes down the size of 38 folders', (roll) => {
    const row = growingFile('output/sizes.csv');
    return createTimes(38, (i) => [
      run(roll, 'du', ['-sh', moduleName(i)], `4.0K\t${moduleName(i)}`),
      row(`${moduleName(i)};4.0K`),
    ]);
  }),
  fineRun('evaluates 30 expressions in a calculator', (roll) =>
    createTimes(30, () => {
      const [a, b] = [roll.between(1, 99), roll.between(1, 99)];
      return [act('mcp__calculator__evaluate', { expression: `${a} * ${b} - ${a * b - 42}` }, '42')];
    }),
  ),
];
