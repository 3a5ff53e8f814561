/**
 * Builds the server's command line. The server listens on loopback TCP only, because the default socket directory may belong to another
 * user. `max_connections` is enough for four services with up to thirty connections each and some other clients.
 */
export function buildServerArguments(options: { dataDirectory: string; port: number; durable: boolean }): string[] {
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(options.port),
    unix_socket_directories: '',
    max_connections: '200',
    // Passwords are 192 random bits, so key stretching adds no protection but would cost milliseconds per connection.
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

/** Environment of the server. It must not inherit the user's PGDATA, PGPORT and similar variables. */
export function buildServerEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, TZ: 'UTC', LC_ALL: 'C' };
}
