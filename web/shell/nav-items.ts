import {
  Activity,
  Files,
  FlaskConical,
  Inbox,
  LayoutDashboard,
  MessageCircleQuestion,
  Network,
  Radio,
  Settings,
  Table2,
  Trash2,
  type LucideIcon,
} from 'lucide-react';
import { shell } from '../text/shell.ts';

interface NavItem {
  readonly to: string;
  readonly words: string;
  readonly icon: LucideIcon;
  /** Second key after `g`. */
  readonly key: string;
  /** Shown in the bar of small screens. */
  readonly isMain: boolean;
}

/** Pages of the main menu, in order. */
export const navItems = [
  { to: '/', words: shell.overview, icon: LayoutDashboard, key: 'o', isMain: false },
  { to: '/documents', words: shell.documents, icon: Files, key: 'd', isMain: true },
  { to: '/records', words: shell.records, icon: Table2, key: 't', isMain: true },
  { to: '/reviews', words: shell.reviews, icon: Inbox, key: 'i', isMain: true },
  { to: '/runs', words: shell.runs, icon: Activity, key: 'r', isMain: false },
  { to: '/workflows', words: shell.workflows, icon: Network, key: 'w', isMain: false },
  { to: '/experiments', words: shell.experiments, icon: FlaskConical, key: 'e', isMain: false },
  { to: '/chat', words: shell.chat, icon: MessageCircleQuestion, key: 'a', isMain: true },
  { to: '/feed', words: shell.feed, icon: Radio, key: 'l', isMain: false },
  { to: '/trash', words: shell.trash, icon: Trash2, key: 'x', isMain: false },
  { to: '/settings', words: shell.settings, icon: Settings, key: 's', isMain: false },
] as const satisfies readonly NavItem[];
