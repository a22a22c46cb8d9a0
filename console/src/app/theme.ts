import {
  type BadgeProps,
  type ButtonProps,
  createTheme,
  type MenuProps,
  type ModalProps,
  type MultiSelectProps,
  type NotificationProps,
  type NumberInputProps,
  type SelectProps,
  type TextareaProps,
  type TextProps,
} from '@mantine/core';
import { offeredOf } from '../components/form/offered.ts';
import { t } from '../lib/words/words.ts';
import { SteadyButton } from './steady-button.tsx';

export const theme = createTheme({
  defaultRadius: 'md',
  respectReducedMotion: true,
  cursorType: 'pointer',
  // By name: a component itself would be loaded with the first page.
  components: {
    Badge: { defaultProps: { variant: 'light', tt: 'none', miw: 'max-content' } satisfies BadgeProps },
    // The one of a page that matters most is filled.
    Button: { defaultProps: { variant: 'default' } satisfies ButtonProps },
    // Locking the page's scrolling would insert a style element; look.css does it instead.
    Modal: {
      defaultProps: {
        closeButtonProps: { 'aria-label': t('Close') },
        lockScroll: false,
        centered: true,
        overlayProps: { backgroundOpacity: 0.45 },
      } satisfies Partial<ModalProps>,
    },
    // The focus is on the first entry; before it would be an element that a menu must not contain.
    Menu: {
      defaultProps: {
        shadow: 'md',
        position: 'bottom-end',
        withInitialFocusPlaceholder: false,
      } satisfies Partial<MenuProps>,
    },
    Notification: {
      defaultProps: { closeButtonProps: { 'aria-label': t('Close the message') } } satisfies Partial<NotificationProps>,
    },
    // A number out of range stays as it was typed, and saving says at the field what is allowed.
    NumberInput: { defaultProps: { clampBehavior: 'none' } satisfies NumberInputProps },
    // A list that is cut off says so. What is typed replaces what was chosen.
    Select: {
      defaultProps: {
        comboboxProps: { shadow: 'md' },
        filter: offeredOf,
        onClick: ({ currentTarget }) => !currentTarget.readOnly && currentTarget.select(),
      } satisfies SelectProps,
    },
    MultiSelect: { defaultProps: { filter: offeredOf } satisfies MultiSelectProps },
    Text: { defaultProps: { size: 'sm' } satisfies TextProps },
    Textarea: { defaultProps: { autosize: true } satisfies TextareaProps },
    // Of all buttons, also those of other components.
    UnstyledButton: { defaultProps: { component: SteadyButton } },
  },
});
