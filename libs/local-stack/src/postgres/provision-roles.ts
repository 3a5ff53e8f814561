import pg from 'pg';

export interface RolesToProvision {
  readonly owner: { readonly name: string; readonly password: string };
  readonly app: { readonly name: string; readonly password: string };
}

/** Group role of the services. The migrations grant it the rights that services need. */
const serviceGroup = 'phaseline_service';

/** Group role of logins whose only right is to add requests to the queue `jobs`. The owner may create such logins. */
const producerGroup = 'phaseline_producer';

/**
 * Creates the two logins: the owner, who owns the database and runs the migrations, and the app, which has the rights of the service
 * group. Safe to repeat; passwords are set again.
 * @param superuserUrl a login that may create roles
 */
export async function provisionRoles(superuserUrl: string, roles: RolesToProvision): Promise<void> {
  await withClient(superuserUrl, async (client) => {
    await createRole(client, serviceGroup, 'NOLOGIN');
    for (const { name, password } of [roles.owner, roles.app]) {
      await createRole(client, name, 'LOGIN');
      await client.query(`ALTER ROLE ${client.escapeIdentifier(name)} PASSWORD ${client.escapeLiteral(password)}`);
    }
    await client.query(`GRANT ${serviceGroup} TO ${client.escapeIdentifier(roles.app.name)}`);
    await createRole(client, producerGroup, 'NOLOGIN');
    const owner = client.escapeIdentifier(roles.owner.name);
    await client.query(
      `ALTER ROLE ${owner} CREATEROLE; GRANT ${producerGroup} TO ${owner} WITH ADMIN TRUE, INHERIT FALSE, SET FALSE`,
    );
  });
}

/** Creates a database owned by `owner` unless it exists. Only its owner, the service group and the producer group may connect to it. */
export async function provisionDatabase(superuserUrl: string, database: string, owner: string): Promise<void> {
  await withClient(superuserUrl, async (client) => {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [database]);
    const name = client.escapeIdentifier(database);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${name} OWNER ${client.escapeIdentifier(owner)}`);
    await client.query(`REVOKE ALL ON DATABASE ${name} FROM PUBLIC`);
    await client.query(`GRANT CONNECT ON DATABASE ${name} TO ${serviceGroup}, ${producerGroup}`);
  });
}

async function createRole(client: pg.Client, name: string, attributes: string): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [name]);
  if (rowCount === 0) await client.query(`CREATE ROLE ${client.escapeIdentifier(name)} ${attributes}`);
}

async function withClient(connectionString: string, use: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    // The caller records that provisioning is done, so it must survive a crash of the server.
    await client.query('SET synchronous_commit = on');
    await use(client);
  } finally {
    await client.end();
  }
}
