#!/usr/bin/env node
// The audit checker: verifies an export of a Phaseline log. Needs only Node 22: no database, no library, no other file of Phaseline.
//   node check-export.mjs FOLDER [--key public.pem]... [--receipt receipt.json]...
// Prints the problems and then the report as JSON Lines; exits with 0 if there are no problems. Keeps in memory the heads of all streams,
// the names of all files, and one stream at a time.
//
// The hash of an event is SHA-256 over the 32 bytes of the previous hash of its stream (zeros for the first event) and one netstring
// (`<bytes>:<value>,`) for each of: stream, version, id, type, schema version, time, correlation, data, metadata. Data is the
// exact text after `,"data":` in the line. An anchor is a signed statement with the hash of the previous anchor and a Merkle root
// over the last event of each stream that changed since then. Get --key and --receipt from an independent source: anyone who can change
// an export can also sign it with another key. docs/concepts/audit.md says what an export proves and what it does not.
//
// The name of a file or long text of up to 1 MiB is the SHA-256 of its content. The name of larger content is the first 32 bytes of
// the SHA-512 over one netstring for each of: "phaseline-pieces-1", size, number of pieces, and SHA-256 and size of each 1 MiB piece.
import { createHash, createPublicKey, hash, verify } from 'node:crypto';
import { closeSync, createReadStream, openSync, opendirSync, readFileSync, readSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const START = '0'.repeat(64);
const netstrings = (values) => values.map((value) => `${Buffer.byteLength(String(value))}:${value},`).join('');
/** Event types that end a stream, and the types that may directly follow each. */
const followers = (ends, next) => Object.fromEntries(ends.map((end) => [end, next]));
const RETENTION = ['FilesRemoved', 'VectorsRemoved', 'HoldPlaced', 'HoldReleased', 'JobMovedToColdStorage'];
const REPOSITORY = ['RepositoryChanged', 'RepositoryOutputRequested', 'RepositoryOutputMade', 'RepositoryOutputFailed'];
export const FOLLOWERS_OF_END = {
  ...followers(['JobErased', 'PhaseCompleted', 'PhaseFailed', 'PhaseCancelled'], []),
  ...followers(['JobCompleted', 'JobCancelled'], ['JobErased', ...REPOSITORY, ...RETENTION]),
  JobFailed: ['JobErased', 'JobRetried', ...REPOSITORY, ...RETENTION],
};
const sha256 = (...parts) => hash('sha256', Buffer.concat(parts), 'buffer');
const idOf = (der) => hash('sha256', der, 'hex');
const isSigned = (key, text, signature) =>
  key && verify(null, text, createPublicKey({ key, format: 'der', type: 'spki' }), signature);

const PIECE_BYTES = 1 << 20;
/** Computes the name and size of a file's content, one piece at a time. */
function computeName(path) {
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
/** Returns the files and long texts that an event refers to, as [path, name, size]. Encrypted jobs (UUID version 8) store placeholders instead. */
function filesOf(event) {
  const files = [];
  const add = (path, file, name = file?.hash) => /^[0-9a-f]{64}$/.test(name) && files.push([path, name, file.size]);
  const encrypted = /^.{8}-.{4}-8.{3}-[89ab].{3}-.{12}$/.test(event.correlation);
  const getFile = {
    FileWritten: (data) => data,
    JobCompleted: ({ file }) => file,
    WorkspaceEdited: ({ file }) => file,
    RepositoryOutputMade: ({ patch }) => patch,
  }[event.type];
  const getTree = {
    JobForked: ({ instructions }) => instructions,
    JobSubmitted: ({ tree }) => tree,
    PhaseStarted: ({ workspace }) => workspace?.tree,
    RepositoryImported: ({ tree }) => tree,
  }[event.type];
  if (!encrypted && (getFile || getTree)) {
    const data = JSON.parse(event.data.toString());
    if (getFile) add(data.path ?? getFile(data)?.path ?? 'patch', getFile(data));
    else {
      const tree = getTree(data);
      for (const [path, file] of Object.entries(isObject(tree) ? tree : {})) add(path, file);
    }
  }
  const metadata = event.metadata.includes('$') || event.metadata.includes('\\u') ? JSON.parse(event.metadata) : {};
  for (const text of Array.isArray(metadata.$texts) ? metadata.$texts : []) add(`text ${text?.at}`, text);
  if (isObject(metadata.$encrypted)) add('encrypted content', metadata.$encrypted, metadata.$encrypted.blob);
  return files;
}

/** Calls `onLine` with the bytes of each line, and returns the SHA-256 of the file. */
async function readLines(path, onLine) {
  const sum = createHash('sha256');
  let rest = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { highWaterMark: 4 << 20 })) {
    sum.update(chunk);
    const bytes = Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end; (end = bytes.indexOf(10, start)) !== -1; start = end + 1) onLine(bytes.subarray(start, end));
    rest = bytes.subarray(start);
  }
  if (rest.length > 0) onLine(rest);
  return sum.digest('hex');
}

/** Parses a line: a CloudEvent whose last member is `data`, or `data_base64` if the text contains a line break. */
function parseEvent(line) {
  const plain = line.indexOf(',"data":');
  const end = plain === -1 ? line.indexOf(',"data_base64":"') : plain;
  const event = JSON.parse(`${line.toString('utf8', 0, end)}}`);
  const base64 = () => Buffer.from(line.toString('latin1', end + 16, line.length - 2), 'base64');
  event.data = plain === -1 ? base64() : line.subarray(end + 8, -1);
  return event;
}

let scratch = Buffer.allocUnsafe(1 << 20);
/** Computes the hash of an event as the given version after the hash `previous`. */
function hashOf(previous, e, version = e.version) {
  const front = netstrings([e.stream, version, e.id, e.type, e.schemaversion, e.time, e.correlation]);
  const maxBytes = 100 + 3 * (front.length + e.metadata.length) + e.data.length;
  if (scratch.length < maxBytes) scratch = Buffer.allocUnsafe(2 * maxBytes);
  let at = scratch.write(previous, 'hex');
  at += scratch.write(`${front}${e.data.length}:`, at);
  at += e.data.copy(scratch, at);
  at += scratch.write(`,${netstrings([e.metadata])}`, at);
  return hash('sha256', scratch.subarray(0, at), 'hex');
}

/** Checks the events of a stream against its head and the anchors. Aims to report one problem per change. */
function checkStream(stored, { head, hasHeads, anchored, horizon }, report) {
  const reported = new Set();
  const add = (kind, version, detail) => report(kind, version, detail, reported.add(version));
  const known = head ? [...anchored, head] : anchored;
  const events = [...stored].sort((a, b) => a.version - b.version);
  const last = events.at(-1)?.version ?? 0;
  const written = [START]; // the original hash of each version
  let [slot, shift] = [1, 0]; // the original version of the event, and how far it was renumbered since
  const isHashValid = (previous, event, version) =>
    event !== undefined && hashOf(previous, event, version) === event.hash;
  for (let i = 0; i < events.length; i += 1, slot += 1) {
    const here = events[i];
    const now = here.version;
    let hash = undefined; // the original hash, if only the stored hash was changed
    if (now > slot + shift) {
      add('missing', slot + shift, `versions ${slot + shift} to ${now - 1} are missing`);
      slot = now - shift;
    } else if (!isHashValid(written[slot - 1], here, slot)) {
      // Find a single change that explains this: the original event is stored at a later version, or earlier events were removed.
      const found = events.findIndex((event, n) => n > i && isHashValid(written[slot - 1], event, slot));
      const before = found === i + 1 ? events[found].hash : events[found - 1]?.hash;
      const lost = [1, 2, 3, 4, 5, 6, 7, 8, 9].find((n) => isHashValid(here.hash, events[i + 1], slot + n + 1));
      if (found > i && isHashValid(before, here, slot + found - i)) {
        add('swapped', now, `versions ${now} and ${events[found].version} were swapped`);
        [events[i], events[found]] = [events[found], here];
      } else if (found > i) {
        for (const { version } of events.splice(i, found - i))
          add('inserted', version, 'it does not belong to the chain');
        shift += found - i;
      } else if (lost) {
        add('missing', slot, `${lost} events are missing, and later events were renumbered`);
        [slot, shift] = [slot + lost, shift - lost];
      } else {
        const own = hashOf(written[slot - 1], here, slot);
        if (isHashValid(own, events[i + 1], slot + 1) || known.some((at) => at.version === slot && at.hash === own))
          hash = own;
        add('altered', now, `${here.type} does not match the hash from when it was written`);
      }
    }
    written[slot] = hash ?? events[i].hash;
  }
  const beyond = known.find(({ version }) => version > Math.max(slot - 1, last));
  if (beyond) add('truncated', last, `the stream had version ${beyond.version}, but now ends with version ${last}`);
  const isOther = (at) => written[at.version] && written[at.version] !== at.hash;
  const other = anchored.find(isOther);
  if (other && ![...reported].some((version) => version <= other.version))
    add('rewritten', other.version, `an anchor has the hash ${other.hash} for this version`);
  const isHeadWrong = head && (head.version <= 0 || isOther(head));
  if (isHeadWrong)
    add('head-mismatch', last, `the list of heads says it ends with version ${head.version} and the hash ${head.hash}`);
  if (!head && hasHeads && last > 0) add('head-mismatch', last, 'the list of heads does not contain this stream');
  events.reduce((before, { version, position }) => {
    if (BigInt(position) <= before)
      add('out-of-order', version, 'its position is not greater than that of the previous event');
    return BigInt(position);
  }, 0n);
  for (const { version, transaction } of stored) {
    const unanchored = BigInt(transaction) < horizon && version - shift > (anchored.at(-1)?.version ?? 0);
    if (unanchored || (!isHeadWrong && version - shift > (head?.version ?? Infinity)))
      add('inserted', version, 'an anchor or the head should cover it, but does not');
  }
  const late = stored.find(({ type }, i) => FOLLOWERS_OF_END[stored[i - 1]?.type]?.includes(type) === false);
  if (late && !reported.has(late.version)) add('after-end', late.version, `${late.type} follows the end of its stream`);
  const foreign = stored.find(({ correlation }) => correlation !== stored[0].correlation);
  if (foreign && !reported.has(foreign.version)) add('inserted', foreign.version, 'it belongs to another correlation');
}

const FIELDS = 'number previousHash anchoredAt keyId horizon position streams events heads root'.split(' ');
/** Checks the anchors. `heads` are the leaves of each anchor; in an export of some jobs, leaves of other jobs are only hashes. */
function checkAnchors(anchors, heads, { keys, isTrusted, isPartial }, report) {
  let before = { number: 0, hash: START };
  for (const anchor of anchors) {
    const add = (kind, detail) => report({ kind, anchor: anchor.number, detail });
    const text = Buffer.from(netstrings(['phaseline-anchor-1', ...FIELDS.map((field) => anchor[field])]));
    let level = (heads.get(anchor.number) ?? []).map(({ leaf, stream, version, hash: sum }) =>
      leaf ? Buffer.from(leaf, 'hex') : sha256(Buffer.from(`\0${netstrings([stream, version, sum])}`)),
    );
    const isComplete = level.length === anchor.heads;
    const pair = (left, right) => (right ? sha256(Buffer.from([1]), left, right) : left);
    while (level.length > 1) level = level.flatMap((node, i) => (i % 2 ? [] : [pair(node, level[i + 1])]));
    if (anchor.number !== before.number + 1 || anchor.previousHash !== before.hash)
      add('anchor-missing', `it does not follow anchor ${before.number}`);
    if (hash('sha256', text, 'hex') !== anchor.hash) add('anchor-altered', 'its hash does not match its content');
    if (!(isPartial && level.length === 0) && !(isComplete && level[0].toString('hex') === anchor.root))
      add('anchor-altered', 'its root does not match its heads');
    if (!isSigned(keys.get(anchor.keyId), text, Buffer.from(anchor.signature, 'hex')))
      add('anchor-forged', `its signature by the key ${anchor.keyId} is invalid`);
    else if (!isTrusted(anchor.keyId)) add('anchor-other-key', `it is signed by an untrusted key (${anchor.keyId})`);
    before = anchor;
  }
  const numbers = new Set(anchors.map(({ number }) => number));
  for (const number of heads.keys())
    if (!numbers.has(number))
      report({ kind: 'anchor-missing', anchor: number, detail: 'heads are listed for it, but the anchor is missing' });
}

/** Yields the names of the entries of a folder; none if it does not exist. */
function* listFolder(path) {
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
 * Verifies the export in the folder `path`. `keys` are trusted public keys (PEM), `receipts` are parsed receipts, and `files` is false to
 * skip the content of files. Anything missing or unreadable is reported as a problem.
 */
export async function verifyExport(path, { keys = [], receipts = [], files = true, onProgress = () => {} } = {}) {
  const problems = [];
  let [problemCount, checked, bytes] = [0, 0, 0];
  const report = (problem) => (problemCount += 1) <= 1_000 && problems.push(problem);
  const signed = attempt(() => readFileSync(join(path, 'manifest.json')));
  const manifest = attempt(() => JSON.parse(signed.toString())) ?? {};
  if (!signed)
    report({ kind: 'file-missing', detail: 'manifest.json is missing: it lists what belongs to the export' });
  const sums = isObject(manifest.files) ? manifest.files : {};
  const ders = attempt(() => manifest.keys.map((key) => Buffer.from(key, 'base64'))) ?? [];
  const known = new Map(ders.map((der) => [idOf(der), der]));
  const trustedIds = keys.map((pem) => idOf(createPublicKey(pem).export({ type: 'spki', format: 'der' })));
  const isTrusted = (id) => trustedIds.length === 0 || trustedIds.includes(id);
  const read = async (name, parse) => {
    let unreadable = 0;
    const onLine = (text) => {
      try {
        parse(text);
      } catch {
        unreadable += 1;
      }
    };
    const sum = await readLines(join(path, name), onLine).catch(() => undefined);
    if (sum === undefined) {
      report({ kind: 'file-missing', detail: `${name} is missing or cannot be read` });
      return false;
    }
    const lines = unreadable > 0 ? `; ${unreadable} of its lines cannot be read` : '';
    if (sums[name] !== sum || unreadable > 0)
      report({ kind: 'file-changed', detail: `${name} does not match the manifest${lines}` });
    return true;
  };
  const [heads, anchored, leaves, anchors] = [new Map(), new Map(), new Map(), []];
  const add = (map, key, value) => (map.get(key) ?? map.set(key, []).get(key)).push(value);
  if (signed) {
    const signature = attempt(() => Buffer.from(readFileSync(join(path, 'manifest.sig'), 'utf8'), 'base64'));
    if (!signature) report({ kind: 'file-missing', detail: 'manifest.sig is missing: it shows who made the export' });
    else if (!attempt(() => isSigned(known.get(manifest.keyId), signed, signature)))
      report({ kind: 'manifest-forged', detail: `its signature by the key ${manifest.keyId} is invalid` });
    else if (!isTrusted(manifest.keyId))
      report({ kind: 'manifest-other-key', detail: `it is signed by an untrusted key (${manifest.keyId})` });
  }
  const hasHeads = await read('heads.jsonl', (line) => add(heads, JSON.parse(line).stream, JSON.parse(line)));
  await read('anchors.jsonl', (line) => anchors.push(JSON.parse(line)));
  await read('anchored-heads.jsonl', (line) => add(leaves, JSON.parse(line).anchor, JSON.parse(line)));
  for (const head of [...leaves.values()].flat()) if (head.stream) add(anchored, head.stream, head);
  checkAnchors(anchors, leaves, { keys: known, isTrusted, isPartial: isObject(manifest.jobs) }, report);
  for (const { anchor } of receipts.filter(
    ({ anchor }) => !anchors.some(({ number, hash }) => number === anchor.number && hash === anchor.hash),
  ))
    report({
      kind: 'receipt-mismatch',
      anchor: anchor.number,
      detail: 'the export has no anchor, or another one, for it',
    });

  // All content that events refer to must exist and match its name, and the folder must contain nothing else.
  const withFiles = files && manifest.withFiles === true;
  const [listed, outcomes] = [new Map(), new Map()];
  await read('blobs.jsonl', (line) => listed.set(JSON.parse(line).hash, JSON.parse(line)));
  const outcomeOf = (name) => {
    if (outcomes.has(name)) return outcomes.get(name);
    const found = attempt(() => computeName(join(path, 'blobs', basename(name))));
    const [kind, detail] = found
      ? ['file-altered', `its content has the hash ${found.name}`]
      : [listed.get(name)?.problem ?? 'file-missing', 'its content is not in the export'];
    checked += 1;
    bytes += found?.size ?? 0;
    const outcome = found?.name === name ? { size: found.size } : { kind, detail };
    outcomes.set(name, outcome);
    return outcome;
  };
  // An event names what retention removed, and may follow later.
  const [lost, removed, released] = [[], new Set(), new Set()];
  const noteRemoval = ({ correlation, data }) => {
    for (const name of attempt(() => JSON.parse(data.toString()).hashes) ?? []) removed.add(name);
    released.add(correlation);
  };
  const isRemoved = ({ kind, hash: name, jobId }) =>
    kind === 'file-missing' && removed.has(name) && released.has(jobId);
  const checkFiles = (event) => {
    for (const [file, name, size] of attempt(() => filesOf(event)) ?? []) {
      const { kind, detail, size: actual } = outcomeOf(name);
      const problem = kind ?? (actual === size ? undefined : 'file-altered');
      const why = detail ?? `it has ${actual} bytes, but the event says ${size}`;
      const place = {
        streamId: event.stream,
        version: event.version,
        jobId: event.correlation,
        path: file,
        hash: name,
      };
      const key = `${event.correlation} ${name} ${file}`;
      if (problem && !outcomes.has(key)) lost.push({ kind: problem, ...place, detail: why });
      if (problem) outcomes.set(key, problem);
    }
  };
  const horizon = BigInt(anchors.at(-1)?.horizon ?? 0);
  const seen = new Set();
  const check = (streamId, stored) => {
    seen.add(streamId);
    const evidence = { head: heads.get(streamId)?.[0], hasHeads, anchored: anchored.get(streamId) ?? [], horizon };
    checkStream(stored, evidence, (kind, version, detail) => report({ kind, streamId, version, detail }));
  };
  let [stored, events] = [[], 0];
  await read('events.jsonl', (line) => {
    const event = parseEvent(line);
    if (stored.length > 0 && stored[0].stream !== event.stream) check(stored[0].stream, stored.splice(0));
    stored.push(event);
    if (event.type === 'FilesRemoved') noteRemoval(event);
    if (withFiles) checkFiles(event);
    events += 1;
    if (events % 20_000 === 0) onProgress(events, manifest.events);
  });
  if (stored.length > 0) check(stored[0].stream, stored);
  for (const stream of new Set([...heads.keys(), ...anchored.keys()])) if (!seen.has(stream)) check(stream, []);
  for (const problem of lost) if (!isRemoved(problem)) report(problem);
  if (withFiles)
    for (const [name, { problem }] of listed) {
      if (outcomes.has(name) || problem) continue;
      const { kind, detail } = outcomeOf(name);
      if (kind) report({ kind, hash: name, detail: `blobs/${name}: ${detail}` });
    }
  // A forged manifest can list any path, such as /dev/zero. Never read files outside the folder.
  for (const name of Object.keys(sums).filter(
    (one) => !/^(events|heads|anchors|anchored-heads|blobs)\.jsonl$/.test(one),
  ))
    if (basename(name) === name) await read(name, () => {});
    else report({ kind: 'file-changed', detail: `${name} is not a valid file name in an export` });
  const own = ['manifest.json', 'manifest.sig', ...Object.keys(sums), ...(manifest.withFiles ? ['blobs'] : [])];
  const added = [...listFolder(path)].filter((name) => !own.includes(name));
  if (signed) for (const name of added) report({ kind: 'file-added', detail: `${name} does not belong to the export` });
  if (manifest.withFiles)
    for (const name of listFolder(join(path, 'blobs')))
      if (!listed.has(name) || listed.get(name).problem)
        report({ kind: 'file-added', detail: `blobs/${name} does not belong to the export` });

  const keyIds = [...new Set([manifest.keyId, ...anchors.map(({ keyId }) => keyId)])].filter((id) => id !== undefined);
  const notChecked = [
    ...(lost.some(isRemoved) ? [`${lost.filter(isRemoved).length} files: removed by retention`] : []),
    ...(withFiles ? [] : [`the content of files: ${manifest.withFiles ? 'skipped' : 'the export contains none'}`]),
    ...(trustedIds.length > 0 ? [] : ['who signed: pass the public key that you trust (--key)']),
    ...(receipts.length > 0
      ? []
      : ['whether the newest anchors were removed before the export: pass a receipt (--receipt)']),
  ];
  const counts = {
    events,
    streams: seen.size,
    anchors: anchors.length,
    ...(withFiles ? { files: checked, bytes } : {}),
  };
  return { passed: problemCount === 0, ...counts, keyIds, notChecked, problems, problemCount };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const paths = { type: 'string', multiple: true, default: [] };
  const options = { key: paths, receipt: paths, 'no-files': { type: 'boolean', default: false } };
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  // A receipt file contains one receipt, or one per line.
  const receipts = values.receipt.flatMap((path) => {
    const text = readFileSync(path, 'utf8');
    return (
      attempt(() => [JSON.parse(text)]) ?? text.split('\n').flatMap((line) => attempt(() => [JSON.parse(line)]) ?? [])
    );
  });
  const keys = values.key.map((path) => readFileSync(path, 'utf8'));
  const { problems, ...report } = await verifyExport(positionals[0] ?? '.', {
    keys,
    receipts,
    files: !values['no-files'],
  });
  for (const problem of problems) console.log(JSON.stringify(problem));
  console.log(JSON.stringify(report));
  process.exitCode = report.passed ? 0 : 1;
}
