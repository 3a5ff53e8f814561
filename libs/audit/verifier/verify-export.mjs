#!/usr/bin/env node
// Checks an export of a Phaseline log. Needs Node 22 and nothing else: no database, no library, nothing of Phaseline.
//   node verify-export.mjs FOLDER [--key public.pem]... [--receipt receipt.json]...
// Prints the problems and a verdict as JSON Lines; exit code 0 when it holds. In memory: the heads of all streams, the names of all files, and
// one stream at a time.
//
// An event's hash is SHA-256 over the 32 bytes of the hash before it in its stream (zeros before the first) and one netstring
// (`<bytes>:<value>,`) for each of: stream, version, id, type, schema version, time, correlation, data, metadata. Data is the
// exact text behind `,"data":` in the line. A seal is a signed statement; its root is a Merkle tree over the last event of each
// stream that changed since the seal before, whose hash it names. Give --key and --receipt from elsewhere: whoever can change
// an export can sign it anew with a key of his own. docs/audit.md says what this proves, and what it does not.
//
// A file or long text is named by the SHA-256 of its content up to 1 MiB. Above that, the name is the first 32 bytes of the SHA-512
// over one netstring for each of: "phaseline-pieces-1", size, number of pieces, and SHA-256 and size of each piece of 1 MiB.
import { createHash, createPublicKey, hash, verify } from 'node:crypto';
import { closeSync, createReadStream, openSync, opendirSync, readFileSync, readSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const START = '0'.repeat(64);
const netstrings = (values) => values.map((value) => `${Buffer.byteLength(String(value))}:${value},`).join('');
/** Types that end a stream, and what may stand right behind each. */
const followers = (ends, next) => Object.fromEntries(ends.map((end) => [end, next]));
export const FOLLOWERS_OF_END = {
  ...followers(['JobErased', 'PhaseCompleted', 'PhaseFailed', 'PhaseCancelled'], []),
  ...followers(['JobCompleted', 'JobCancelled'], ['JobErased']),
  JobFailed: ['JobErased', 'JobRetried'],
};
const sha256 = (...parts) => hash('sha256', Buffer.concat(parts), 'buffer');
const idOf = (der) => hash('sha256', der, 'hex');
const isSigned = (key, text, signature) =>
  key && verify(null, text, createPublicKey({ key, format: 'der', type: 'spki' }), signature);

const PIECE_BYTES = 1 << 20;
/** The name of a file by its content, read a piece at a time. */
function nameOf(path) {
  const file = openSync(path, 'r');
  try {
    const [pieces, piece] = [[], Buffer.allocUnsafe(PIECE_BYTES)];
    for (let size = -1; size !== 0;) {
      size = 0;
      for (let read = -1; read !== 0 && size < PIECE_BYTES; size += read)
        read = readSync(file, piece, size, PIECE_BYTES - size, null);
      if (size > 0 || pieces.length === 0) pieces.push([hash('sha256', piece.subarray(0, size), 'hex'), size]);
    }
    const size = pieces.reduce((sum, [, bytes]) => sum + bytes, 0);
    const list = netstrings(['phaseline-pieces-1', size, pieces.length, ...pieces.flat()]);
    return { size, name: pieces.length === 1 ? pieces[0][0] : hash('sha512', list, 'hex').slice(0, 64) };
  } finally {
    closeSync(file);
  }
}

const isObject = (value) => value !== null && typeof value === 'object';
/** The files and long texts that an event names, as [path, name, size]. In encrypted jobs (their ids are UUIDs of version 8) placeholders stand for them. */
function filesOf(event) {
  const named = [];
  const add = (path, file, name = file?.hash) => /^[0-9a-f]{64}$/.test(name) && named.push([path, name, file.size]);
  const encrypted = /^.{8}-.{4}-8.{3}-[89ab].{3}-.{12}$/.test(event.correlation);
  if (!encrypted && ['FileWritten', 'JobSubmitted', 'PhaseStarted'].includes(event.type)) {
    const data = JSON.parse(event.data.toString());
    if (event.type === 'FileWritten') add(data.path, data);
    else for (const [path, file] of Object.entries(isObject(data.tree) ? data.tree : {})) add(path, file);
  }
  const metadata = event.metadata.includes('$') || event.metadata.includes('\\u') ? JSON.parse(event.metadata) : {};
  for (const text of Array.isArray(metadata.$texts) ? metadata.$texts : []) add(`text ${text?.at}`, text);
  if (isObject(metadata.$sealed)) add('encrypted content', metadata.$sealed, metadata.$sealed.blob);
  return named;
}

/** Calls `take` with the bytes of each line, and returns the SHA-256 of the file. */
async function eachLine(path, take) {
  const sum = createHash('sha256');
  let rest = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { highWaterMark: 4 << 20 })) {
    sum.update(chunk);
    const bytes = Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end; (end = bytes.indexOf(10, start)) !== -1; start = end + 1) take(bytes.subarray(start, end));
    rest = bytes.subarray(start);
  }
  if (rest.length > 0) take(rest);
  return sum.digest('hex');
}

/** A line is a CloudEvent whose last member is `data`, or `data_base64` where the text holds a line break. */
function parseEvent(line) {
  const plain = line.indexOf(',"data":');
  const end = plain === -1 ? line.indexOf(',"data_base64":"') : plain;
  const event = JSON.parse(`${line.toString('utf8', 0, end)}}`);
  const base64 = () => Buffer.from(line.toString('latin1', end + 16, line.length - 2), 'base64');
  event.data = plain === -1 ? base64() : line.subarray(end + 8, -1);
  return event;
}

let scratch = Buffer.allocUnsafe(1 << 20);
/** The hash that the event must have behind the hash `previous`, as that version. */
function hashOf(previous, e, version = e.version) {
  const front = netstrings([e.stream, version, e.id, e.type, e.schemaversion, e.time, e.correlation]);
  const most = 100 + 3 * (front.length + e.metadata.length) + e.data.length;
  if (scratch.length < most) scratch = Buffer.allocUnsafe(2 * most);
  let at = scratch.write(previous, 'hex');
  at += scratch.write(`${front}${e.data.length}:`, at);
  at += e.data.copy(scratch, at);
  at += scratch.write(`,${netstrings([e.metadata])}`, at);
  return hash('sha256', scratch.subarray(0, at), 'hex');
}

/** One stream: its events, what the list of heads says of it, and what the seals say. One change should be one problem. */
function checkStream(stored, { head, hasHeads, sealed, horizon }, report) {
  const told = new Set();
  const tell = (kind, version, detail) => report(kind, version, detail, told.add(version));
  const known = head ? [...sealed, head] : sealed;
  const events = [...stored].sort((a, b) => a.version - b.version);
  const last = events.at(-1)?.version ?? 0;
  const written = [START]; // the hash of each version as it was written
  let [slot, shift] = [1, 0]; // the number of the event when it was written, and how much that was changed since
  const fits = (previous, event, version) => event !== undefined && hashOf(previous, event, version) === event.hash;
  for (let i = 0; i < events.length; i += 1, slot += 1) {
    const here = events[i];
    const now = here.version;
    let hash = undefined; // what the hash was, where that alone was changed
    if (now > slot + shift) {
      tell('missing', slot + shift, `versions ${slot + shift} to ${now - 1} are not there`);
      slot = now - shift;
    } else if (!fits(written[slot - 1], here, slot)) {
      // Which one change explains it? The event that was written here stands further behind, or some before it are gone.
      const found = events.findIndex((event, n) => n > i && fits(written[slot - 1], event, slot));
      const before = found === i + 1 ? events[found].hash : events[found - 1]?.hash;
      const lost = [1, 2, 3, 4, 5, 6, 7, 8, 9].find((n) => fits(here.hash, events[i + 1], slot + n + 1));
      if (found > i && fits(before, here, slot + found - i)) {
        tell('swapped', now, `versions ${now} and ${events[found].version} have changed places`);
        [events[i], events[found]] = [events[found], here];
      } else if (found > i) {
        for (const { version } of events.splice(i, found - i))
          tell('inserted', version, 'it has no place in the chain');
        shift += found - i;
      } else if (lost) {
        tell('missing', slot, `${lost} events are not there, and those behind got their numbers`);
        [slot, shift] = [slot + lost, shift - lost];
      } else {
        const own = hashOf(written[slot - 1], here, slot);
        if (fits(own, events[i + 1], slot + 1) || known.some((said) => said.version === slot && said.hash === own))
          hash = own;
        tell('altered', now, `${here.type} is not what was hashed when it was written`);
      }
    }
    written[slot] = hash ?? events[i].hash;
  }
  const beyond = known.find(({ version }) => version > Math.max(slot - 1, last));
  if (beyond) tell('truncated', last, `version ${beyond.version} was there, and now version ${last} is the last one`);
  const isOther = (said) => written[said.version] && written[said.version] !== said.hash;
  const other = sealed.find(isOther);
  if (other && ![...told].some((version) => version <= other.version))
    tell('rewritten', other.version, `its hash is said to be ${other.hash}`);
  const isHeadWrong = head && (head.version <= 0 || isOther(head));
  if (isHeadWrong)
    tell('head-mismatch', last, `it is said to end with version ${head.version} and the hash ${head.hash}`);
  if (!head && hasHeads && last > 0) tell('head-mismatch', last, 'the list of heads does not have this stream');
  events.reduce((before, { version, position }) => {
    if (BigInt(position) <= before)
      tell('out-of-order', version, 'its position is not behind that of the event before it');
    return BigInt(position);
  }, 0n);
  for (const { version, transaction } of stored) {
    const unsealed = BigInt(transaction) < horizon && version - shift > (sealed.at(-1)?.version ?? 0);
    if (unsealed || (!isHeadWrong && version - shift > (head?.version ?? Infinity)))
      tell('inserted', version, 'a seal or the head would know it');
  }
  const late = stored.find(({ type }, i) => FOLLOWERS_OF_END[stored[i - 1]?.type]?.includes(type) === false);
  if (late && !told.has(late.version))
    tell('after-end', late.version, `${late.type} stands behind the end of its stream`);
  const strange = stored.find(({ correlation }) => correlation !== stored[0].correlation);
  if (strange && !told.has(strange.version)) tell('inserted', strange.version, 'it belongs to another correlation');
}

const FIELDS = 'number previousHash sealedAt keyId horizon position streams events heads root'.split(' ');
/** `heads` are the leaves of each seal; in an export of some jobs those of other jobs are bare hashes. */
function checkSeals(seals, heads, { keys, trusted, partial }, tell) {
  let before = { number: 0, hash: START };
  for (const seal of seals) {
    const wrong = (kind, detail) => tell({ kind, seal: seal.number, detail });
    const text = Buffer.from(netstrings(['phaseline-seal-1', ...FIELDS.map((field) => seal[field])]));
    let level = (heads.get(seal.number) ?? []).map(({ leaf, stream, version, hash: sum }) =>
      leaf ? Buffer.from(leaf, 'hex') : sha256(Buffer.from(`\0${netstrings([stream, version, sum])}`)),
    );
    const isThere = level.length === seal.heads;
    const pair = (left, right) => (right ? sha256(Buffer.from([1]), left, right) : left);
    while (level.length > 1) level = level.flatMap((node, i) => (i % 2 ? [] : [pair(node, level[i + 1])]));
    if (seal.number !== before.number + 1 || seal.previousHash !== before.hash)
      wrong('seal-missing', `it does not follow seal ${before.number}`);
    if (hash('sha256', text, 'hex') !== seal.hash) wrong('seal-altered', 'its hash is not that of what it says');
    if (!(partial && level.length === 0) && !(isThere && level[0].toString('hex') === seal.root))
      wrong('seal-altered', 'its root is not that of its heads');
    if (!isSigned(keys.get(seal.keyId), text, Buffer.from(seal.signature, 'hex')))
      wrong('seal-forged', `it is not signed by its key (${seal.keyId})`);
    else if (!trusted(seal.keyId)) wrong('seal-other-key', `it is signed by a key that was not given (${seal.keyId})`);
    before = seal;
  }
  const numbers = new Set(seals.map(({ number }) => number));
  for (const number of heads.keys())
    if (!numbers.has(number))
      tell({ kind: 'seal-missing', seal: number, detail: 'heads are listed for it, and it is not there' });
}

/** Names of what lies in a folder, or nothing where there is none. */
function* namesIn(path) {
  const folder = attempt(() => opendirSync(path));
  if (!folder) return;
  try {
    for (let entry = folder.readSync(); entry; entry = folder.readSync()) yield entry.name;
  } finally {
    folder.closeSync();
  }
}

function attempt(work) {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/**
 * `keys` are trusted public keys (PEM); `receipts` are receipts of seals, parsed; `files` is false where the content of files is not to be
 * checked. Whatever is missing or cannot be read is a problem with a name.
 */
export async function verifyExport(path, { keys = [], receipts = [], files = true, onProgress = () => {} } = {}) {
  const problems = [];
  let [problemCount, checked, bytes] = [0, 0, 0];
  const tell = (problem) => (problemCount += 1) <= 1_000 && problems.push(problem);
  const signed = attempt(() => readFileSync(join(path, 'manifest.json')));
  const manifest = attempt(() => JSON.parse(signed.toString())) ?? {};
  if (!signed)
    tell({ kind: 'file-missing', detail: 'manifest.json is not there: nothing says what belongs to the export' });
  const sums = isObject(manifest.files) ? manifest.files : {};
  const ders = attempt(() => manifest.keys.map((key) => Buffer.from(key, 'base64'))) ?? [];
  const known = new Map(ders.map((der) => [idOf(der), der]));
  const given = keys.map((pem) => idOf(createPublicKey(pem).export({ type: 'spki', format: 'der' })));
  const trusted = (id) => given.length === 0 || given.includes(id);
  const read = async (name, take) => {
    let unreadable = 0;
    const line = (text) => {
      try {
        take(text);
      } catch {
        unreadable += 1;
      }
    };
    const sum = await eachLine(join(path, name), line).catch(() => undefined);
    if (sum === undefined) {
      tell({ kind: 'file-missing', detail: `${name} is not there, or cannot be read` });
      return false;
    }
    const lines = unreadable > 0 ? `; ${unreadable} of its lines cannot be read` : '';
    if (sums[name] !== sum || unreadable > 0)
      tell({ kind: 'file-changed', detail: `${name} is not that of the manifest${lines}` });
    return true;
  };
  const [heads, sealed, leaves, seals] = [new Map(), new Map(), new Map(), []];
  const add = (map, key, value) => (map.get(key) ?? map.set(key, []).get(key)).push(value);
  if (signed) {
    const signature = attempt(() => Buffer.from(readFileSync(join(path, 'manifest.sig'), 'utf8'), 'base64'));
    if (!signature)
      tell({ kind: 'file-missing', detail: 'manifest.sig is not there: nothing shows who made the export' });
    else if (!attempt(() => isSigned(known.get(manifest.keyId), signed, signature)))
      tell({ kind: 'manifest-forged', detail: `it is not signed by the key that it names (${manifest.keyId})` });
    else if (!trusted(manifest.keyId))
      tell({ kind: 'manifest-other-key', detail: `it is signed by a key that was not given (${manifest.keyId})` });
  }
  const hasHeads = await read('heads.jsonl', (line) => add(heads, JSON.parse(line).stream, JSON.parse(line)));
  await read('seals.jsonl', (line) => seals.push(JSON.parse(line)));
  await read('sealed-heads.jsonl', (line) => add(leaves, JSON.parse(line).seal, JSON.parse(line)));
  for (const head of [...leaves.values()].flat()) if (head.stream) add(sealed, head.stream, head);
  checkSeals(seals, leaves, { keys: known, trusted, partial: isObject(manifest.jobs) }, tell);
  for (const { seal } of receipts.filter(
    ({ seal }) => !seals.some(({ number, hash }) => number === seal.number && hash === seal.hash),
  ))
    tell({ kind: 'receipt-mismatch', seal: seal.number, detail: 'it is another seal now, or gone' });

  // Files: what the events name has to be there and be what its name says, and nothing else may be.
  const withFiles = files && manifest.withFiles === true;
  const [listed, outcomes] = [new Map(), new Map()];
  await read('blobs.jsonl', (line) => listed.set(JSON.parse(line).hash, JSON.parse(line)));
  const outcomeOf = (name) => {
    if (outcomes.has(name)) return outcomes.get(name);
    const found = attempt(() => nameOf(join(path, 'blobs', basename(name))));
    const [kind, detail] = found
      ? ['file-altered', `its content is named ${found.name}`]
      : [listed.get(name)?.problem ?? 'file-missing', 'its content is not in the export'];
    checked += 1;
    bytes += found?.size ?? 0;
    const outcome = found?.name === name ? { size: found.size } : { kind, detail };
    outcomes.set(name, outcome);
    return outcome;
  };
  const checkFiles = (event) => {
    for (const [file, name, size] of attempt(() => filesOf(event)) ?? []) {
      const { kind, detail, size: actual } = outcomeOf(name);
      const wrong = kind ?? (actual === size ? undefined : 'file-altered');
      const why = detail ?? `it has ${actual} bytes, and the event says ${size}`;
      const place = {
        streamId: event.stream,
        version: event.version,
        jobId: event.correlation,
        path: file,
        hash: name,
      };
      const key = `${event.correlation} ${name} ${file}`;
      if (wrong && !outcomes.has(key)) tell({ kind: wrong, ...place, detail: why });
      if (wrong) outcomes.set(key, wrong);
    }
  };
  const horizon = BigInt(seals.at(-1)?.horizon ?? 0);
  const seen = new Set();
  const check = (streamId, stored) => {
    seen.add(streamId);
    const said = { head: heads.get(streamId)?.[0], hasHeads, sealed: sealed.get(streamId) ?? [], horizon };
    checkStream(stored, said, (kind, version, detail) => tell({ kind, streamId, version, detail }));
  };
  let [stored, events] = [[], 0];
  await read('events.jsonl', (line) => {
    const event = parseEvent(line);
    if (stored.length > 0 && stored[0].stream !== event.stream) check(stored[0].stream, stored.splice(0));
    stored.push(event);
    if (withFiles) checkFiles(event);
    events += 1;
    if (events % 20_000 === 0) onProgress(events, manifest.events);
  });
  if (stored.length > 0) check(stored[0].stream, stored);
  for (const stream of new Set([...heads.keys(), ...sealed.keys()])) if (!seen.has(stream)) check(stream, []);
  if (withFiles)
    for (const [name, { problem }] of listed) {
      if (outcomes.has(name) || problem) continue;
      const { kind, detail } = outcomeOf(name);
      if (kind) tell({ kind, hash: name, detail: `blobs/${name}: ${detail}` });
    }
  // A manifest may name anything, /dev/zero too; an export holds no file outside of its folder.
  for (const name of Object.keys(sums).filter((one) => !/^(events|heads|seals|sealed-heads|blobs)\.jsonl$/.test(one)))
    if (basename(name) === name) await read(name, () => {});
    else tell({ kind: 'file-changed', detail: `${name} is no name of a file of an export` });
  const own = ['manifest.json', 'manifest.sig', ...Object.keys(sums), ...(manifest.withFiles ? ['blobs'] : [])];
  const added = [...namesIn(path)].filter((name) => !own.includes(name));
  if (signed) for (const name of added) tell({ kind: 'file-added', detail: `${name} does not belong to the export` });
  if (manifest.withFiles)
    for (const name of namesIn(join(path, 'blobs')))
      if (!listed.has(name) || listed.get(name).problem)
        tell({ kind: 'file-added', detail: `blobs/${name} does not belong to the export` });

  const keyIds = [...new Set([manifest.keyId, ...seals.map(({ keyId }) => keyId)])].filter((id) => id !== undefined);
  const notChecked = [
    ...(withFiles ? [] : [`the content of files: ${manifest.withFiles ? 'it was left out' : 'the export holds none'}`]),
    ...(given.length > 0 ? [] : ['who signed: give the public key that you know (--key)']),
    ...(receipts.length > 0 ? [] : ['whether the newest seals were removed before: give a receipt (--receipt)']),
  ];
  const counts = { events, streams: seen.size, seals: seals.length, ...(withFiles ? { files: checked, bytes } : {}) };
  return { holds: problemCount === 0, ...counts, keyIds, notChecked, problems, problemCount };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const paths = { type: 'string', multiple: true, default: [] };
  const options = { key: paths, receipt: paths, 'no-files': { type: 'boolean', default: false } };
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  // One receipt, or one a line.
  const receipts = values.receipt.flatMap((path) => {
    const text = readFileSync(path, 'utf8');
    return (
      attempt(() => [JSON.parse(text)]) ?? text.split('\n').flatMap((line) => attempt(() => [JSON.parse(line)]) ?? [])
    );
  });
  const keys = values.key.map((path) => readFileSync(path, 'utf8'));
  const { problems, ...verdict } = await verifyExport(positionals[0] ?? '.', {
    keys,
    receipts,
    files: !values['no-files'],
  });
  for (const problem of problems) console.log(JSON.stringify(problem));
  console.log(JSON.stringify(verdict));
  process.exitCode = verdict.holds ? 0 : 1;
}
