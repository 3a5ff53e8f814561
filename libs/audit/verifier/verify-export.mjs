#!/usr/bin/env node
// Checks an export of a Phaseline log. Needs Node 22 and nothing else: no database, no library, nothing of Phaseline.
//   node verify-export.mjs FOLDER [--key public.pem]... [--receipt receipt.json]...
// Prints the problems and a verdict as JSON Lines; exit code 0 when it holds. In memory: the heads of all streams, and one stream at a time.
//
// An event's hash is SHA-256 over the 32 bytes of the hash before it in its stream (zeros before the first) and one netstring
// (`<bytes>:<value>,`) for each of: stream, version, id, type, schema version, time, correlation, data, metadata. Data is the
// exact text behind `,"data":` in the line. A seal is a signed statement; its root is a Merkle tree over the last event of each
// stream that changed since the seal before, whose hash it names. Give --key and --receipt from elsewhere: whoever can change
// an export can sign it anew with a key of his own. docs/audit.md says what this proves, and what it does not.
import { createHash, createPublicKey, hash, verify } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
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
function checkStream(stored, { head, sealed, horizon }, report) {
  const told = new Set();
  const tell = (kind, version, detail) => report(kind, version, detail, told.add(version));
  const events = [...stored].sort((a, b) => a.version - b.version);
  const last = events.at(-1)?.version ?? 0;
  const written = [START]; // the hash of each version as it was written
  let [slot, shift] = [1, 0]; // the number of the event when it was written, and how much that was changed since
  const fits = (previous, event, version) => event !== undefined && hashOf(previous, event, version) === event.hash;
  for (let i = 0; i < events.length; i += 1, slot += 1) {
    const here = events[i];
    const now = here.version;
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
      } else tell('altered', now, `${here.type} is not what was hashed when it was written`);
    }
    written[slot] = events[i].hash;
  }
  const known = head ? [...sealed, head] : sealed;
  const beyond = known.find(({ version }) => version > Math.max(slot - 1, last));
  if (beyond) tell('truncated', last, `version ${beyond.version} was there, and now version ${last} is the last one`);
  const other = known.find((said) => written[said.version] && written[said.version] !== said.hash);
  if (other)
    tell(other === head ? 'head-mismatch' : 'rewritten', other.version, `its hash is said to be ${other.hash}`);
  if (!head && last > 0) tell('head-mismatch', last, 'the list of heads does not have this stream');
  for (const { version, transaction } of stored) {
    const unsealed = BigInt(transaction) < horizon && version - shift > (sealed.at(-1)?.version ?? 0);
    if (unsealed || version - shift > (head?.version ?? Infinity))
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
    if (!isSigned(keys.get(seal.keyId), text, Buffer.from(seal.signature, 'hex')) || !trusted(seal.keyId))
      wrong('seal-forged', `it is not signed by a key that counts (${seal.keyId})`);
    before = seal;
  }
}

/** `keys` are trusted public keys (PEM); `receipts` are receipts of seals, parsed. Throws where files are missing. */
export async function verifyExport(path, { keys = [], receipts = [], onProgress = () => {} } = {}) {
  const problems = [];
  const tell = (problem) => problems.push(problem);
  const bytes = readFileSync(join(path, 'manifest.json'));
  const manifest = JSON.parse(bytes.toString());
  const known = new Map(manifest.keys.map((key) => Buffer.from(key, 'base64')).map((der) => [idOf(der), der]));
  const given = keys.map((pem) => idOf(createPublicKey(pem).export({ type: 'spki', format: 'der' })));
  const trusted = (id) => given.length === 0 || given.includes(id);
  const read = async (name, take) => {
    const sum = await eachLine(join(path, name), take);
    if (manifest.files[name] !== sum) tell({ kind: 'file-changed', detail: `${name} is not that of the manifest` });
  };
  const [heads, sealed, leaves, seals] = [new Map(), new Map(), new Map(), []];
  const add = (map, key, value) => (map.get(key) ?? map.set(key, []).get(key)).push(value);
  const signature = Buffer.from(readFileSync(join(path, 'manifest.sig'), 'utf8'), 'base64');
  if (!isSigned(known.get(manifest.keyId), bytes, signature) || !trusted(manifest.keyId))
    tell({ kind: 'manifest-forged', detail: `it is not signed by a key that counts (${manifest.keyId})` });
  await read('heads.jsonl', (line) => add(heads, JSON.parse(line).stream, JSON.parse(line)));
  await read('seals.jsonl', (line) => seals.push(JSON.parse(line)));
  await read('sealed-heads.jsonl', (line) => add(leaves, JSON.parse(line).seal, JSON.parse(line)));
  for (const head of [...leaves.values()].flat()) if (head.stream) add(sealed, head.stream, head);
  checkSeals(seals, leaves, { keys: known, trusted, partial: manifest.jobs !== null }, tell);
  for (const { seal } of receipts.filter((receipt) => seals[receipt.seal.number - 1]?.hash !== receipt.seal.hash))
    tell({ kind: 'receipt-mismatch', seal: seal.number, detail: 'it is another seal now, or gone' });
  await read('blobs.jsonl', (line) => {
    const name = basename(JSON.parse(line).hash);
    if (hash('sha256', readFileSync(join(path, 'blobs', name)), 'hex') !== name)
      tell({ kind: 'file-changed', detail: `blobs/${name} is not what its name says` });
  });
  const horizon = BigInt(seals.at(-1)?.horizon ?? 0);
  const seen = new Set();
  const check = (streamId, stored) => {
    seen.add(streamId);
    const said = { head: heads.get(streamId)?.[0], sealed: sealed.get(streamId) ?? [], horizon };
    checkStream(stored, said, (kind, version, detail) => tell({ kind, streamId, version, detail }));
  };
  let [stored, events] = [[], 0];
  await read('events.jsonl', (line) => {
    const event = parseEvent(line);
    if (stored.length > 0 && stored[0].stream !== event.stream) check(stored[0].stream, stored.splice(0));
    stored.push(event);
    events += 1;
    if (events % 20_000 === 0) onProgress(events, manifest.events);
  });
  if (stored.length > 0) check(stored[0].stream, stored);
  for (const stream of new Set([...heads.keys(), ...sealed.keys()])) if (!seen.has(stream)) check(stream, []);
  const keyIds = [...new Set([manifest.keyId, ...seals.map(({ keyId }) => keyId)])];
  const [holds, problemCount] = [problems.length === 0, problems.length];
  const counts = { events, streams: seen.size, seals: seals.length };
  return { holds, ...counts, keyIds, problems: problems.slice(0, 1_000), problemCount };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const files = { type: 'string', multiple: true, default: [] };
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { key: files, receipt: files } });
  const receipts = values.receipt.map((path) => JSON.parse(readFileSync(path, 'utf8')));
  const keys = values.key.map((path) => readFileSync(path, 'utf8'));
  const { problems, ...verdict } = await verifyExport(positionals[0] ?? '.', { keys, receipts });
  for (const problem of problems) console.log(JSON.stringify(problem));
  console.log(JSON.stringify(verdict));
  process.exitCode = verdict.holds ? 0 : 1;
}
