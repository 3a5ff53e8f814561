import { tenantNameSchema } from '@phaseline/client';
import { createPool, EventStore } from '@phaseline/event-store';
import { Principals, type Caller } from '@phaseline/identity';
import { createProducer as createLogin, ProducerRefused } from '@phaseline/queue';
import type { CommandContext } from '../command/command-context.js';
import { BadEnvironment, UsageError } from '../command/command-errors.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { findLocalStack } from '../connection/server-url.js';
import { getOperator } from './get-operator.js';
import { planStack } from '../stack/stack-plan.js';

/**
 * `phaseline producers create NAME --tenant TENANT`: creates a login that may only add requests to the queue `jobs` of the PostgreSQL
 * backend, and prints its connection string, which is not shown again. The jobs are those of the principal with the same name, which
 * gets the role `operator` in the tenant.
 */
export async function createProducer(
  context: CommandContext,
  name: string,
  { tenant }: { readonly tenant: string },
): Promise<ExitCode> {
  const { out } = context;
  const named = tenantNameSchema.safeParse(tenant);
  if (!named.success) throw new UsageError(`--tenant: ${named.error.issues[0]!.message}`);
  const ownerUrl = await findOwnerUrl(context);
  const url = await createLogin(ownerUrl, name).catch((error: unknown) => {
    if (!(error instanceof ProducerRefused)) throw error;
    const isUsageError = error.code === 'producer_name_invalid' || error.code === 'producer_name_taken';
    throw isUsageError ? new UsageError(error.message) : new BadEnvironment(error.message, { cause: error });
  });
  await createPrincipal(ownerUrl, name, tenant);
  if (out.isStructured) {
    out.writeDocument({ name, tenant, url });
  } else {
    out.writeLines(url);
    out.writeMessage(
      `This login may only add requests to the queue "jobs", for the tenant ${tenant}. The password is not shown again.`,
    );
  }
  return exitCode.ok;
}

/** Creates the principal of a producer, unless it exists, and grants it the role with which it may submit jobs. */
async function createPrincipal(ownerUrl: string, name: string, tenant: string): Promise<void> {
  const pool = createPool(ownerUrl, { max: 1, applicationName: 'phaseline-producers' });
  try {
    const principals = new Principals(pool, new EventStore(pool));
    const operator = createOperatorCaller();
    const isKnown = (await principals.list()).some(({ id }) => id === name);
    if (!isKnown) await principals.create(operator, name, 'service');
    await principals.grant(operator, name, 'operator', tenant);
  } finally {
    await pool.end();
  }
}

/** The operating-system user, who holds the credentials of the owner of the database and may do everything there. */
function createOperatorCaller(): Caller {
  const { id, kind } = getOperator();
  return { id, kind: kind === 'person' ? 'person' : 'service', roles: [{ role: 'admin', tenant: '*' }] };
}

async function findOwnerUrl({ env, currentDirectory }: CommandContext): Promise<string> {
  const { databaseUrl } = planStack(env);
  if (databaseUrl !== undefined) return databaseUrl;
  const running = await findLocalStack(env, currentDirectory);
  if (running) return running.ownerUrl;
  throw new BadEnvironment(
    'There is no database. Start the local stack with `npm start`, or set DATABASE_URL to a login that may create roles.',
  );
}
