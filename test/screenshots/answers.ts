/** Answers that show all that an answer can have, in both languages. */
export const LONG_ANSWER = `# Boiling point and altitude

Water boils at **100 °C** at sea level.[^1] Higher up the air presses less, and it boils *earlier*: about one degree for each 300 m.

| Place | Altitude in m | Boils at | Time for an egg |
|---|--:|--:|--:|
| Rotterdam | 0 | 100.0 °C | 5 min |
| Madrid | 650 | 97.8 °C | 6 min |
| La Paz | 3,640 | 87.9 °C | 9 min |
| Mount Everest | 8,849 | 71.0 °C | never |

## Where that comes from

The law of Clausius and Clapeyron says how pressure and temperature belong together; with $L$ for the heat of vaporisation:

$$\\ln\\frac{p_2}{p_1} = \\frac{L}{R}\\left(\\frac{1}{T_1} - \\frac{1}{T_2}\\right)$$

In Python, with \`scipy\` left out:

\`\`\`python
from math import exp, log

def boiling_point(altitude: float) -> float:
    """Degrees Celsius at an altitude in metres."""
    pressure = 101_325 * exp(-altitude / 8_434)  # in Pa
    return 1 / (1 / 373.15 - 8.314 / 40_650 * log(pressure / 101_325)) - 273.15

print(f"{boiling_point(3_640):.1f} °C")
\`\`\`

\`\`\`mermaid
graph LR
  A[Climb higher] --> B[Less air above]
  B --> C{Pressure falls}
  C -- boils earlier --> D[Cooler water]
  C -- pressure cooker --> E[Hotter water]
\`\`\`

- [x] Look up the altitude
- [x] Compute the boiling point
- [ ] Wait longer for the egg

> A pressure cooker undoes all of this: it brings its own sea level with it.

[^1]: At 1,013.25 hPa, which is the mean pressure at sea level.
`

export const LONG_ANSWER_ZH = `# 海拔与沸点

在海平面，水在 **100 °C** 沸腾。[^1] 越往高处，气压越低，沸点也就*越低*：大约每升高 300 米降低一度。

| 地点 | 海拔（米） | 沸点 | 煮鸡蛋 |
|---|--:|--:|--:|
| 上海 | 4 | 100.0 °C | 5 分钟 |
| 昆明 | 1,890 | 93.7 °C | 7 分钟 |
| 拉萨 | 3,650 | 87.9 °C | 9 分钟 |

其中 $L$ 是汽化热：

$$\\ln\\frac{p_2}{p_1} = \\frac{L}{R}\\left(\\frac{1}{T_1} - \\frac{1}{T_2}\\right)$$

\`\`\`python
def boiling_point(altitude: float) -> float:
    """给定海拔（米），返回沸点（摄氏度）。"""
    return 100 - altitude / 300
\`\`\`

- [x] 查到海拔
- [x] 算出沸点
- [ ] 多煮几分钟

[^1]: 气压为 1013.25 hPa 时。
`
