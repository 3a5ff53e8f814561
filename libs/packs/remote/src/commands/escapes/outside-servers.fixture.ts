// The metadata service of a cloud and a name server, for a namespace of a spec. The argument is the folder in which queries are noted.
import { createSocket } from 'node:dgram';
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { QUERIES_FILE } from './victims.fixture.js';

const [, , folder] = process.argv;
const names = createSocket('udp4');
names.on('message', (query, from) => {
  appendFileSync(join(folder!, QUERIES_FILE), '.');
  const question = query.subarray(12, query.indexOf(0, 12) + 5);
  const answer = Buffer.from('c00c000100010000000000040a090807', 'hex');
  const text = 'secret-of-name-server';
  const more = Buffer.concat([
    Buffer.from('c00c0010000100000000', 'hex'),
    Buffer.from([0, text.length + 1, text.length]),
    Buffer.from(text),
  ]);
  const isAddress = question.at(-3) === 1;
  const counts = Buffer.from(isAddress ? '81800001000100000001' : '81800001000000000000', 'hex');
  const parts = [query.subarray(0, 2), counts, question, ...(isAddress ? [answer, more] : [])];
  names.send(Buffer.concat(parts), from.port, from.address);
});
names.bind(53, () =>
  createServer((_request, response) => response.end('secret-of-metadata\n')).listen(80, '169.254.169.254', () =>
    process.stdout.write('listening\n'),
  ),
);
