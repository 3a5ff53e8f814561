/**
 * Restate: a service whose handler has two `ctx.run` per step. The server keeps its own log, with its default settings, which flush every
 * write to disk. Server, handler and this program communicate over loopback.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http2';
import { createServer as createTcpServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import * as restate from '@restatedev/restate-sdk';
import { runPeer } from './run-peer.mjs';

const START_TIMEOUT_MS = 60_000;

await runPeer(async ({ folder }) => {
  /** @type {(jobId: string) => void} */
  let report = () => undefined;
  const service = restate.service({
    name: 'bench',
    handlers: {
      work: async (
        /** @type {restate.Context} */ ctx,
        /** @type {{ jobId: string, steps: number }} */ { jobId, steps },
      ) => {
        for (let step = 0; step < steps; step += 1) {
          const call = await ctx.run('model', async () => ({ name: 'echo', arguments: { text: `step ${step}` } }));
          await ctx.run('tool', async () => call.arguments.text);
          report(jobId);
        }
      },
    },
  });
  const handler = createServer(restate.createEndpointHandler({ services: [service], logger: () => undefined }));
  handler.listen(0, '127.0.0.1');
  await once(handler, 'listening');
  const handlerPort = /** @type {import('node:net').AddressInfo} */ (handler.address()).port;

  const [ingressPort, adminPort, nodePort] = [await findFreePort(), await findFreePort(), await findFreePort()];
  const [ingress, admin] = [`http://127.0.0.1:${ingressPort}`, `http://127.0.0.1:${adminPort}`];
  const server = await startServer(folder, { ingressPort, adminPort, nodePort });
  process.on('exit', () => server.kill('SIGKILL'));
  await waitUntilReady(`${admin}/health`, server);
  await waitUntilReady(`${ingress}/restate/health`, server);
  await post(`${admin}/deployments`, { uri: `http://127.0.0.1:${handlerPort}` });

  /** @param {string} query */
  const select = async (query) => (await post(`${admin}/query`, { query })).rows;
  return {
    runJobs: async (jobIds, steps, onStep) => {
      report = onStep;
      await Promise.all(
        // The key is what a job is found by in the tables of the server.
        jobIds.map((jobId) => post(`${ingress}/bench/work`, { jobId, steps }, { 'idempotency-key': jobId })),
      );
    },
    count: async (prefix) => {
      const jobs = `SELECT id FROM sys_invocation WHERE idempotency_key LIKE '${prefix}%' AND completion_result = 'success'`;
      const [completed] = await select(`SELECT count(*) AS n FROM (${jobs})`);
      const runs = await select(
        `SELECT name, count(*) AS n FROM sys_journal WHERE id IN (${jobs}) AND entry_type = 'Command: Run' GROUP BY name`,
      );
      const [results] = await select(
        `SELECT count(*) AS n FROM sys_journal WHERE id IN (${jobs}) AND entry_type = 'Notification: Run'`,
      );
      const countRuns = (/** @type {string} */ name) =>
        Number(runs.find((/** @type {{ name: string }} */ run) => run.name === name)?.n ?? 0);
      return {
        completedJobs: Number(completed.n),
        steps: Math.min(countRuns('model'), countRuns('tool'), Math.floor(Number(results.n) / 2)),
      };
    },
    close: async () => {
      server.kill('SIGTERM');
      await Promise.race([once(server, 'exit'), sleep(10_000)]);
      handler.close();
    },
  };
});

/**
 * @param {string} folder
 * @param {{ ingressPort: number, adminPort: number, nodePort: number }} ports
 */
async function startServer(folder, { ingressPort, adminPort, nodePort }) {
  const program = new URL(
    import.meta.resolve(`@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`),
  );
  return spawn(program.pathname, ['--no-logo', '--base-dir', folder, '--node-name', 'bench'], {
    env: {
      PATH: process.env['PATH'],
      RESTATE_BIND_IP: '127.0.0.1',
      RESTATE_ADVERTISED_HOST: '127.0.0.1',
      RESTATE_LISTEN_MODE: 'tcp',
      RESTATE_BIND_PORT: String(nodePort),
      RESTATE_INGRESS__BIND_PORT: String(ingressPort),
      RESTATE_ADMIN__BIND_PORT: String(adminPort),
      RESTATE_DISABLE_TELEMETRY: 'true',
      RESTATE_ADMIN__DISABLE_WEB_UI: 'true',
      // At its start the server asks whether there is a newer version, which no setting prevents. It works without an answer.
      RESTATE_LOG_FILTER: 'error,octocrab=off',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** @returns {Promise<number>} */
async function findFreePort() {
  const probe = createTcpServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (probe.address());
  probe.close();
  await once(probe, 'close');
  return port;
}

/**
 * @param {string} url
 * @param {import('node:child_process').ChildProcess} server
 */
async function waitUntilReady(url, server) {
  for (const deadline = Date.now() + START_TIMEOUT_MS; ; await sleep(50)) {
    if ((await fetch(url).catch(() => undefined))?.ok) return;
    if (server.exitCode !== null) throw new Error(`the Restate server exited with code ${server.exitCode}`);
    if (Date.now() > deadline) throw new Error('the Restate server did not become ready');
  }
}

/**
 * @param {string} url
 * @param {unknown} body
 * @param {Record<string, string>} headers
 */
async function post(url, body, headers = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}
