import { PROXY_FOLDER, PROXY_PORT, PROXY_SOCKET } from '../contained/sandbox-settings.js';

/**
 * Program that runs inside a sandbox with network: it forwards connections to a port of the loopback interface to the socket of
 * the proxy, because programs cannot be told to use a socket in a file, and runs the command as its child.
 */
export const BRIDGE = `
const { createServer, connect } = require('node:net');
const { spawn } = require('node:child_process');
const { constants } = require('node:os');
const server = createServer({ allowHalfOpen: true }, (from) => {
  const to = connect({ path: '${PROXY_FOLDER}/${PROXY_SOCKET}', allowHalfOpen: true });
  from.on('error', () => to.destroy()).pipe(to).on('error', () => from.destroy()).pipe(from);
  to.on('close', () => from.destroy());
});
server.on('error', (error) => { console.error('no network: ' + error.message); process.exit(125); });
server.listen(${PROXY_PORT}, '127.0.0.1', () => {
  const [file, ...args] = process.argv.slice(1);
  const child = spawn(file, args, { stdio: 'inherit' });
  child.on('error', (error) => { console.error(file + ': ' + error.message); process.exit(127); });
  child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
});
`;

/** Variables that make programs use the proxy. */
export function buildProxyVariables(): Record<string, string> {
  const url = `http://127.0.0.1:${PROXY_PORT}`;
  const local = 'localhost,127.0.0.1,::1';
  return {
    ...{ HTTP_PROXY: url, HTTPS_PROXY: url, http_proxy: url, https_proxy: url, NO_PROXY: local, no_proxy: local },
    // Node.js uses the variables above only if it is told to.
    NODE_USE_ENV_PROXY: '1',
  };
}
