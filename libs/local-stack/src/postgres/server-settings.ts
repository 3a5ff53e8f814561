/**
 * The server's command line. Nothing but loopback TCP: the default socket directory may belong to somebody else.
 * `max_connections` has room for four services of up to thirty connections each, and for a few people.
 */
export function serverArguments(options: { dataDirectory: string; port: number; durable: boolean }): string[] {
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(options.port),
    unix_socket_directories: '',
    max_connections: '200',
    // Passwords are 192 random bits: stretching them protects nothing and would cost every new connection milliseconds.
    scram_iterations: '1',
    log_min_messages: 'warning',
    ...(options.durable
      ? {}
      : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_wal_size: '4GB' }),
  };
  return [
    '-D',
    options.dataDirectory,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
}

/** All that the server gets of the environment: PGDATA, PGPORT and the like of the user must not reach it. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, TZ: 'UTC', LC_ALL: 'C' };
}
