import { z } from 'zod';

/** Environment variables that decide who reaches the MCP service, and how programs introduce themselves. Source: docs/decisions/0260, docs/decisions/0262. */
export const accessRows = {
  ALLOWED_HOSTS: {
    schema: z.string().optional(),
    doc: 'Host names that MCP requests may use beside those of MCP_URL, BASE_URL, OBJECTS_URL, HOST and this machine, comma-separated',
  },
  OAUTH_CLIENT_METADATA: {
    schema: z.enum(['off', 'on', 'auto']).default('auto'),
    doc: 'on: programs may introduce themselves by the https address of a document, which the server fetches; off: they register here instead, for servers without a way out; auto: on, and not advertised for an hour after the host of a document could not be reached',
  },
} as const;
