import { perl, type Attempt } from './attempt.fixture.js';

const request = (peer: string, host = 'a'): string =>
  perl(
    `my $s = ${peer} or die "no connection: $!\\n"; print $s "GET /latest HTTP/1.0\\r\\nHost: ${host}\\r\\n\\r\\n"; print <$s>`,
    '-MIO::Socket::INET -MIO::Socket::UNIX',
  );
const tcp = (address: string): string => `IO::Socket::INET->new(PeerAddr => "${address}", Timeout => 5)`;
const askNameServer = (address: string): string =>
  perl(
    `my $s = IO::Socket::INET->new(PeerAddr => "${address}:53", Proto => "udp") or die;` +
      // A query for the address of stolen.example.
      `$s->send(pack("n6", 7, 0x100, 1, 0, 0, 0) . "\\x06stolen\\x07example\\0" . pack("n2", 1, 1)) or die "not sent: $!\\n";` +
      `my $r = ""; vec($r, fileno($s), 1) = 1; select($r, undef, undef, 2) and $s->recv(my $b, 512) and print $b`,
    '-MIO::Socket::INET',
  );
const viaProxy = (url: string): string => `node -e 'fetch("${url}").then(async (r) => console.log(await r.text()))'`;
const tunnel = (target: string): string =>
  perl(
    `my $s = ${tcp('127.0.0.1:3128')} or die; print $s "CONNECT ${target} HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n"; my $l = <$s>; print $l; $l =~ / 200 / or exit; print $s "GET /latest HTTP/1.0\\r\\n\\r\\n"; print <$s>`,
    '-MIO::Socket::INET',
  );
const proxied = { network: ['registry.example'] };
const noProxy = { none: 'there is no proxy outside of the sandbox' } as const;

/** Attempts on the network, whose metadata and name servers are in the namespace of the spec. */
export const networkAttempts: readonly Attempt[] = [
  {
    name: 'connects to a service on the loopback interface',
    script: request(tcp('127.0.0.1:$ENV{PORT}')),
    control: 'everyone',
  },
  {
    name: 'connects to a socket without a file',
    script: request('IO::Socket::UNIX->new(Peer => "\\0$ENV{ABSTRACT}")'),
    control: 'everyone',
  },
  {
    name: 'connects to a socket in a file',
    script: request('IO::Socket::UNIX->new(Peer => $ENV{SOCKET})'),
    control: 'everyone',
  },
  { name: 'asks the metadata service', script: request(tcp('169.254.169.254:80')), control: 'everyone' },
  {
    name: 'asks the metadata service through the proxy',
    script: viaProxy('http://169.254.169.254/latest'),
    control: 'everyone',
    refused: ['169.254.169.254'],
    settings: proxied,
  },
  {
    name: 'asks the metadata service through the proxy, under another spelling',
    script: `${viaProxy('http://2852039166/latest')}; ${viaProxy('http://0xa9fea9fe/latest')}`,
    control: 'everyone',
    refused: ['169.254.169.254', '169.254.169.254'],
    settings: proxied,
  },
  {
    name: 'asks the metadata service through the proxy, for an agent that may',
    script: viaProxy('http://169.254.169.254/latest'),
    control: 'everyone',
    refused: ['169.254.169.254'],
    settings: { network: ['169.254.169.254'] },
  },
  {
    name: 'asks the metadata service through a tunnel of the proxy',
    script: `${tunnel('169.254.169.254:80')}; ${tunnel('[::ffff:169.254.169.254]:80')}`,
    control: noProxy,
    refused: ['169.254.169.254', '::ffff:a9fe:a9fe'],
    settings: { network: ['169.254.169.254', 'registry.example'] },
  },
  {
    name: 'connects to a loopback service through a tunnel of the proxy',
    script: `${tunnel('127.0.0.1:$ENV{PORT}')}; ${tunnel('localhost:$ENV{PORT}')}`,
    control: noProxy,
    refused: ['127.0.0.1', 'localhost'],
    settings: proxied,
  },
  {
    name: 'passes by the proxy',
    script: `${request(tcp('169.254.169.254:80'))}; ${request(tcp('127.0.0.1:$ENV{PORT}'))}`,
    control: 'everyone',
    settings: proxied,
  },
  {
    name: 'asks a name server',
    script: `${askNameServer('169.254.169.254')}; ${askNameServer('127.0.0.1')}`,
    control: 'everyone',
    harms: 'asked-name-server',
  },
  {
    name: 'asks the name server of the machine',
    script: 'getent hosts stolen.example && echo ESCAPED',
    control: 'everyone',
    harms: 'asked-name-server',
  },
  {
    name: 'opens a raw socket',
    script: perl('socket(my $s, 2, 3, 1) and print "ESCAPED\\n"'),
    control: 'root',
  },
  {
    name: 'opens a socket for packets',
    script: perl('socket(my $s, 17, 3, 0x300) and print "ESCAPED\\n"'),
    control: 'root',
  },
  {
    name: 'opens a socket of a family that has no namespace',
    // AF_ALG and AF_VSOCK.
    script: perl('socket(my $s, 38, 5, 0) and print "ESCAPED\\n"; socket($s, 40, 1, 0) and print "ESCAPED\\n"'),
    control: { none: 'not every kernel has these families' },
  },
  {
    name: 'makes a network interface',
    script: 'ip link add name escape0 type dummy && echo ESCAPED; ip link del escape0',
    control: { none: 'not every kernel has such an interface' },
  },
];
