import { proved } from './requirement.ts';

/** Webhooks by project. */
export const webhooks = [
  ...proved('Service API', {
    'webhooks.subscribe': [
      'Admins and keys with keys:manage add, change, disable and delete up to 10 webhooks of a project; the signing secret is shown once',
      '0190-webhooks-by-project',
    ],
    'webhooks.address': [
      'A webhook to a private address, or without https, is refused when it is added and when it is changed',
      '0190-webhooks-by-project',
    ],
    'webhooks.rotate': [
      'A replaced signing secret signs beside the new one until its overlap ends',
      '0190-webhooks-by-project',
    ],
    'webhooks.first_key': [
      'After the first SECRETS_KEY, deliveries are signed with the key of before too, until the secret of the webhook is rotated',
      '0284-the-first-key-breaks-no-signature',
    ],
    'webhooks.log': [
      'The deliveries of a webhook are listed by status with attempts, response and body; one is sent again under its id, and a test sends a ping',
      '0191-deliveries-of-webhooks',
    ],
    'webhooks.disabled': [
      'A webhook that fails for 5 days, or whose receiver answers 410, is disabled, and the audit log says so',
      '0191-deliveries-of-webhooks',
    ],
  }),
  ...proved('Events', {
    'webhooks.events': [
      'A webhook gets each event of its types once, with ids and links and without words of documents; other projects, drafts and disabled webhooks get none',
      '0190-webhooks-by-project',
    ],
    'webhooks.lossless': [
      'A process that dies after an event was stored loses no delivery, and creates none twice',
      '0190-webhooks-by-project',
    ],
    'webhooks.receiver': [
      'A receiver with inkgraph/client accepts a delivery, and refuses a changed one',
      '0190-webhooks-by-project',
    ],
  }),
];
