/** A template with its `{{name}}`s replaced once: what is put in is not looked at again. A name without a value stays. */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template
    .trim()
    .replaceAll(/\{\{(\w{1,64})\}\}/g, (whole, name: string) =>
      Object.hasOwn(values, name) ? (values[name] ?? whole) : whole,
    )
}
