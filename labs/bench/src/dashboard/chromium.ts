/** Path of the browser. */
export const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
