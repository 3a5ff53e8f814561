import { config } from 'zod';

// Schemas generate no functions: the content security policy forbids it, and browsers report the attempt. This comes before all schemas.
config({ jitless: true });
