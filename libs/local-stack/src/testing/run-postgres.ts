/** A process for specs that starts PostgreSQL on the given data directory, prints its address, and waits to be killed. */
import { LocalStackError } from '../local-stack-error.js';
import { startPostgres } from '../postgres/start-postgres.js';

try {
  const postgres = await startPostgres({ dataDir: process.argv[2]!, durable: false });
  console.log(
    JSON.stringify({ pid: postgres.pid, ownerUrl: postgres.ownerUrl, dataDirectory: postgres.dataDirectory }),
  );
  setInterval(() => {}, 60_000);
} catch (error) {
  console.log(JSON.stringify({ code: error instanceof LocalStackError ? error.code : String(error) }));
}
