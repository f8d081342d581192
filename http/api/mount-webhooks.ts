import type { dashboardWebhooks, serviceWebhooks } from '#src/contracts/webhooks/rows.ts';
import { tools } from '#tools/index.ts';
import type { Bind } from '#http/bind.ts';

/** Webhooks of projects, for either family of rows. */
export function mountWebhooks(bind: Bind, rows: typeof dashboardWebhooks | typeof serviceWebhooks): void {
  bind(rows.list, tools.listWebhooks);
  bind(rows.create, tools.createWebhook);
  bind(rows.change, tools.changeWebhook);
  bind(rows.remove, tools.deleteWebhook);
  bind(rows.rotate, tools.rotateWebhookSecret);
  bind(rows.test, tools.testWebhook);
  bind(rows.deliveries, tools.listWebhookDeliveries);
  bind(rows.redeliver, tools.redeliverWebhook);
}
