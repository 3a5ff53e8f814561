/**
 * Draws a recorded terminal session as an SVG, as the terminal shows it at the end. This creates the picture in the README:
 *
 *   script -qec 'npm run demo' demo.typescript && node scripts/terminal-picture.mjs demo.typescript 'npm run demo' > docs/pictures/demo.svg
 *
 * The first argument is a file written by `script` (util-linux), the second the command that was recorded. The path of the repository is
 * shortened to `~/phaseline`, and npm's own lines are left out.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const CHARACTER_WIDTH = 7.8;
const LINE_HEIGHT = 18;
const MARGIN = 16;
const COLORS = { 31: '#ff7b72', 32: '#56d364', 33: '#e3b341', 36: '#56d4dd' };

const [file, command] = process.argv.slice(2);
if (command === undefined) {
  process.stderr.write('usage: node scripts/terminal-picture.mjs FILE COMMAND\n');
  process.exit(2);
}
const repository = fileURLToPath(new URL('../', import.meta.url)).replace(/\/$/, '');
const recorded = readFileSync(file, 'utf8')
  .replace(/^Script started.*\n/, '')
  .replace(/\nScript done[^]*$/, '')
  .replaceAll(repository, '~/phaseline');
process.stdout.write(drawLines([...writePrompt(command), ...trimLines(renderScreen(recorded))]));

/** Applies the control sequences of the recording. Returns the lines as lists of cells, a character with its style each. */
function renderScreen(text) {
  const lines = [[]];
  let row = 0;
  let column = 0;
  let style = {};
  const tokens = text.matchAll(/\x1b\[([?\d;]*)([A-Za-z])|\r|\n|[^\x1b\r\n]/gu);
  for (const [token, argument, action] of tokens) {
    if (token === '\r') column = 0;
    else if (token === '\n') {
      row += 1;
      lines[row] ??= [];
    } else if (action === undefined) lines[row][column++] = { character: token, style };
    else if (action === 'A') row = Math.max(0, row - Number(argument || 1));
    else if (action === 'G') column = Number(argument || 1) - 1;
    else if (action === 'K') lines[row].length = column;
    else if (action === 'J') {
      lines.length = row + 1;
      lines[row].length = column;
    } else if (action === 'm') style = argument.split(';').reduce(applyStyle, style);
  }
  return lines;
}

function applyStyle(style, code) {
  if (code === '' || code === '0') return {};
  if (code === '1') return { ...style, bold: true };
  if (code === '2') return { ...style, dim: true };
  if (code === '22') return { ...style, bold: false, dim: false };
  return { ...style, color: code === '39' ? undefined : (COLORS[code] ?? style.color) };
}

/** Removes npm's own lines, and empty lines and a spinner at both ends. */
function trimLines(lines) {
  const text = (cells) =>
    Array.from(cells, (cell) => cell?.character ?? ' ')
      .join('')
      .trim();
  const kept = lines.filter((cells) => !/^(?:npm (?:warn|notice)|> )/.test(text(cells)));
  const hasText = (cells) => /[^\s\u2800-\u28ff]/u.test(text(cells));
  return kept.slice(kept.findIndex(hasText), kept.findLastIndex(hasText) + 1);
}

function writePrompt(line) {
  const style = { bold: true };
  return [Array.from(`$ ${line}`, (character) => ({ character, style })), []];
}

function drawLines(lines) {
  const columns = Math.max(...lines.map(({ length }) => length));
  const width = Math.ceil(columns * CHARACTER_WIDTH + 2 * MARGIN);
  const height = lines.length * LINE_HEIGHT + 2 * MARGIN;
  const rows = lines.flatMap((cells, index) => {
    const runs = joinRuns(cells);
    if (runs.length === 0) return [];
    return `<text y="${MARGIN + (index + 1) * LINE_HEIGHT - 5}">${runs.map(drawRun).join('')}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escapeXml(command)}</title>`,
    `<rect width="100%" height="100%" rx="8" fill="#0d1117"/>`,
    `<g font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13" fill="#e6edf3" xml:space="preserve">`,
    ...rows,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

/** Joins neighbouring cells of one style. Cells that were never written are blanks. */
function joinRuns(cells) {
  const runs = [];
  for (const [column, cell] of Array.from(cells).entries()) {
    const { character = ' ', style = {} } = cell ?? {};
    const last = runs.at(-1);
    if (last && (last.style === style || character === ' ')) last.text += character;
    else runs.push({ column, style, text: character });
  }
  return runs.filter(({ text }) => text.trim() !== '');
}

function drawRun({ column, style, text }) {
  const shown = text.trimEnd();
  const attributes = [
    `x="${(MARGIN + column * CHARACTER_WIDTH).toFixed(1)}"`,
    // Keeps columns aligned in any font.
    `textLength="${([...shown].length * CHARACTER_WIDTH).toFixed(1)}"`,
    ...(style.color ? [`fill="${style.color}"`] : []),
    ...(style.bold ? ['font-weight="bold"'] : []),
    ...(style.dim ? ['fill-opacity="0.6"'] : []),
  ];
  return `<tspan ${attributes.join(' ')}>${escapeXml(shown)}</tspan>`;
}

function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
