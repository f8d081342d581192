import { Activity, Files, Inbox, MessageCircleQuestion, Radio, Settings, Table2, type LucideIcon } from 'lucide-react';
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
  { to: '/documents', words: shell.documents, icon: Files, key: 'd', isMain: true },
  { to: '/records', words: shell.records, icon: Table2, key: 't', isMain: true },
  { to: '/reviews', words: shell.reviews, icon: Inbox, key: 'i', isMain: true },
  { to: '/runs', words: shell.runs, icon: Activity, key: 'r', isMain: false },
  { to: '/chat', words: shell.chat, icon: MessageCircleQuestion, key: 'a', isMain: true },
  { to: '/feed', words: shell.feed, icon: Radio, key: 'l', isMain: false },
  { to: '/settings', words: shell.settings, icon: Settings, key: 's', isMain: false },
] as const satisfies readonly NavItem[];
